#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/compile.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/extern_function.hpp>
#include <sinter/runtime/make_kernel.hpp>
#include <sinter/runtime/platform/host.hpp>

namespace sinter::runtime {
namespace {

const std::string& cuda_options() {
  static const std::string all = fmt::format("{}", fmt::join(default_nvrtc_options(), " "));
  return all;
}

const std::string& host_target() {
  static const std::string features = "host " + processor_features();
  return features;
}

// "nvrtc 13.0" is 13000; of the CPU's compiler 0.
int cuda_version_of(const std::string& compiler) {
  int major = 0, minor = 0;
  if (std::sscanf(compiler.c_str(), "nvrtc %d.%d", &major, &minor) != 2) return 0;
  return major * 1000 + minor * 10;
}

}  // namespace

std::string key_content_of(const stage& lowered, const target_facts& target) {
  const bool host = target.kind == target_kind::host;
  const std::string cuda = host ? std::string() : fmt::format("cuda {}", target.architecture);
  return key_content(
      {.signature = lowered.signature,
       .target = host ? host_target() : cuda,
       .options = host ? host_compile_options() : cuda_options(),
       .linked = host || lowered.externals.empty() ? std::string_view{} : external_link_options()});
}

cache_entry entry_of(const object_code& code, const kernel_text& text, const schedule& chosen) {
  const object_facts& facts = code.facts();
  cache_entry entry;
  entry.kernel = code.entry();
  entry.text = text.source;
  entry.schedule = to_string(chosen);
  entry.compiler = facts.compiler;
  entry.log = facts.log;
  entry.cuda_version = cuda_version_of(facts.compiler);
  entry.registers = facts.registers;
  entry.spill_bytes = facts.spill_bytes;
  entry.shared_bytes = facts.shared_bytes;
  entry.compile_milliseconds = facts.compile_milliseconds;
  entry.images = code.images();
  return entry;
}

object_code code_of(const cache_entry& entry, const std::string& origin) {
  object_facts facts;
  facts.registers = entry.registers;
  facts.spill_bytes = entry.spill_bytes;
  facts.shared_bytes = entry.shared_bytes;
  facts.compile_milliseconds = entry.compile_milliseconds;
  facts.compiler = entry.compiler;
  facts.log = entry.log;
  return {entry.images, entry.kernel, std::move(facts), origin};
}

made_kernel make_kernel(const stage& lowered, const target_facts& target, const graph& content,
                        int cuda_version) {
  object_code compiled;
  const std::shared_ptr<kernel_cache> cache = process_cache();
  const kernel_request wanted{key_content_of(lowered, target),
                              content.name.empty() ? "unnamed" : content.name, cuda_version};
  kernel_cache::obtained got = cache->find_or_compile(wanted, [&] {
    const kernel_text text = emit(lowered, target, content.mode, content.name);
    compiled = compile_kernel(text, target);
    return entry_of(compiled, text, lowered.chosen);
  });
  made_kernel made;
  made.code = compiled ? compiled : code_of(got.entry, got.where);
  made.found = got.found;
  made.key_content = wanted.content;
  return made;
}

void distrust(const kernel& refused) { process_cache()->distrust(refused.key_content); }

}  // namespace sinter::runtime
