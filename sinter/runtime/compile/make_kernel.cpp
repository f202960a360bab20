#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ranges>
#include <utility>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/target/cpu_levels.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/extern_function.hpp>
#include <sinter/runtime/posix/host.hpp>

namespace sinter::inline v0::runtime {
namespace {

const std::string& cuda_options() {
  static const auto& all = *new std::string(fmt::format("{}", fmt::join(default_nvrtc_options(), " ")));
  return all;
}

// The target of code for this exact processor, or for a level of processors, which only packs have.
std::string cpu_target(std::string_view level = {}) {
  static const auto& features = *new std::string("cpu " + processor_features());
  return level.empty() ? features : fmt::format("cpu {}", level);
}

/// Levels whose code this processor runs, best first.
const std::vector<const cpu_level*>& own_levels() {
  static const auto& levels = *new std::vector<const cpu_level*>(levels_of(processor_feature_set()));
  return levels;
}

// "nvrtc 13.0" gives 13000; the CPU's compiler gives 0.
int cuda_version_of(const std::string& compiler) {
  int major = 0, minor = 0;
  if (std::sscanf(compiler.c_str(), "nvrtc %d.%d", &major, &minor) != 2) return 0;
  return major * 1000 + minor * 10;
}

/// `linked`: with user functions linked in.
std::string key_content_for(std::string_view signature, const target_facts& target, bool linked,
                            std::string_view level = {}) {
  const bool cpu = target.kind == target_kind::cpu;
  const std::string compiled_for = cpu ? cpu_target(level) : fmt::format("cuda {}", target.architecture);
  return key_content({.signature = signature,
                      .target = compiled_for,
                      .options = cpu ? cpu_compile_options() : cuda_options(),
                      .linked = linked && !cpu ? external_link_options() : std::string_view{}});
}

/// Kernels that can replace this one at launch. They differ only in their architecture or processor level,
/// which is older and runs here, and in their name, which a pack made from a list of functions does not know.
std::vector<std::string> stand_ins_for(const stage& lowered, target_facts target, const std::string& name) {
  std::vector<std::string> contents;
  const bool linked = !lowered.externals.empty();
  const auto add = [&](const std::string& signature, bool with_name, std::string_view level = {}) {
    if (with_name) contents.push_back(key_content_for(signature, target, linked, level));
    if (!name.empty())
      contents.push_back(key_content_for(signature_without_name(signature), target, linked, level));
  };
  add(lowered.signature, false);
  if (target.kind == target_kind::cpu) {
    for (const cpu_level* each : own_levels()) add(lowered.signature, true, each->name);
    return contents;
  }
  const std::vector<int> architectures = known_architectures();
  const int own = target.architecture;
  for (const int older : std::views::reverse(architectures)) {
    if (older >= own) continue;
    target.architecture = older;
    add(signature_for(lowered.signature, older), true);
  }
  return contents;
}

/// Refers to its arguments.
kernel_request request_of(const stage& lowered, const target_facts& target, const graph& content,
                          int cuda_version) {
  return {key_content_of(lowered, target), content.name.empty() ? "unnamed" : content.name, cuda_version,
          [&] { return stand_ins_for(lowered, target, content.name); }};
}

}  // namespace

std::string key_content_of(const stage& lowered, const target_facts& target, std::string_view processor) {
  return key_content_for(lowered.signature, target, !lowered.externals.empty(), processor);
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

std::optional<made_kernel> find_made_kernel(const stage& lowered, const target_facts& target,
                                            const graph& content, int cuda_version) {
  const kernel_request wanted = request_of(lowered, target, content, cuda_version);
  const auto begin = std::chrono::steady_clock::now();
  cache_event event;
  const std::optional<kernel_cache::obtained> found = current_cache()->find(wanted, event);
  if (!found) return std::nullopt;  // the caller that compiles reports it
  event.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  record(std::move(event));
  return made_kernel{code_of(found->entry, found->where), found->found, wanted.content};
}

made_kernel make_quick_kernel(const stage& lowered, const target_facts& target) {
  const kernel_text text = emit(lowered);
  made_kernel made;
  made.code = compile_kernel(text, target, compile_effort::quick);
  made.quick = true;
  return made;
}

made_kernel make_kernel(const stage& lowered, const target_facts& target, const graph& content,
                        int cuda_version, const std::function<void()>& before_compile) {
  object_code compiled;
  const std::shared_ptr<kernel_cache> cache = current_cache();
  const kernel_request wanted = request_of(lowered, target, content, cuda_version);
  kernel_cache::obtained got = cache->find_or_compile(wanted, [&] {
    if (before_compile) before_compile();
    const kernel_text text = emit(lowered);
    compiled = compile_kernel(text, target);
    return entry_of(compiled, text, lowered.chosen);
  });
  made_kernel made;
  made.code = compiled ? compiled : code_of(got.entry, got.where);
  made.found = got.found;
  made.key_content = wanted.content;
  return made;
}

void distrust(const kernel& refused) { current_cache()->distrust(refused.key_content); }

}  // namespace sinter::inline v0::runtime
