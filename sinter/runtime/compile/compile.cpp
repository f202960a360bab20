#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <sinter/runtime/background/compile_watch.hpp>
#include <sinter/runtime/base/no_compiler.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/extern_function.hpp>

namespace sinter::inline v0 {
namespace {
std::atomic<std::uint64_t> compiled_kernels{0};
}

std::uint64_t compile_count() noexcept { return compiled_kernels.load(std::memory_order_relaxed); }

}  // namespace sinter::inline v0

namespace sinter::inline v0::runtime {
namespace {

int sum_of_spills(const kernel_resources& used) {
  if (used.spill_store_bytes < 0 || used.spill_load_bytes < 0) return -1;
  return used.spill_store_bytes + used.spill_load_bytes;
}

/// The code of the functions that a CPU kernel calls.
std::vector<cpu_linked_code> linked_to(const kernel_text& text) {
  std::vector<cpu_linked_code> linked;
  for (const external_function* called : text.linked) {
    const device_source& source = source_of(*called);
    const bool is_text = !source.cpp.empty();
    linked.push_back(
        {is_text ? source.cpp : source.bitcode, called->name + (is_text ? ".cpp" : ".bc"), is_text});
  }
  return linked;
}

}  // namespace

cuda_architecture compiled_architecture(int wanted) {
  static const auto& supported = *new std::vector<int>(supported_architectures());
  if (supported.empty() || std::find(supported.begin(), supported.end(), wanted) != supported.end())
    return {wanted, cuda_code::cubin};
  int best = 0;
  for (const int candidate : supported)
    if (candidate <= wanted) best = std::max(best, candidate);
  if (best == 0)
    throw no_compiler(
        fmt::format("NVRTC {}.{} no longer compiles for compute capability {}.{}; install an older CUDA "
                    "toolkit's libnvrtc and point SINTER_NVRTC at it",
                    nvrtc_version() / 1000, nvrtc_version() % 1000 / 10, wanted / 10, wanted % 10));
  return {best, cuda_code::ptx};
}

void open_compiler(const target_facts& target) {
  if (target.kind == target_kind::cpu)
    static_cast<void>(cpu_compiler_version());
  else
    static_cast<void>(nvrtc_version());
}

std::string listing_of_kernel(const kernel_text& text, const target_facts& target) {
  if (target.kind == target_kind::cpu)
    return cpu_assembly(text.source, (text.entry + ".cpp").c_str(), linked_to(text));
  const int architecture = compiled_architecture(target.architecture).number;
  if (!text.linked.empty()) return link_external_calls(text, architecture, true).images()[0].bytes;
  return compile_cuda(text.source, (text.entry + ".cu").c_str(), text.entry, {architecture, cuda_code::ptx})
      .code;
}

object_code compile_kernel(const kernel_text& text, const target_facts& target, compile_effort effort,
                           std::string_view processor) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto milliseconds = [&] {
    return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
  };
  const compile_watcher::watched watched(process_compile_watcher(), text.entry, text.source.size());
  object_facts facts;
  code_image image;
  if (target.kind == target_kind::cpu) {
    cpu_compile_result made =
        compile_cpu(text.source, (text.entry + ".cpp").c_str(), linked_to(text),
                    effort == compile_effort::quick ? cpu_effort::quick : cpu_effort::optimised, processor);
    image.bytes = std::move(made.object);
    facts.log = std::move(made.log);
    facts.compiler = cpu_compiler_version();
  } else {
    const cuda_architecture architecture = compiled_architecture(target.architecture);
    const std::string nvrtc = fmt::format("nvrtc {}.{}", nvrtc_version() / 1000, nvrtc_version() % 1000 / 10);
    if (!text.linked.empty()) {
      const object_code linked =
          link_external_calls(text, architecture.number, architecture.code == cuda_code::ptx);
      image = linked.images()[0];
      facts = linked.facts();
      facts.compiler = fmt::format("{}, {}", nvrtc, facts.compiler);
    } else {
      nvrtc_result made = compile_cuda(
          text.source, (text.entry + ".cu").c_str(), text.entry, architecture,
          effort == compile_effort::quick ? quick_nvrtc_options() : std::span<const std::string>());
      image.format = architecture.code == cuda_code::cubin ? code_format::cubin : code_format::ptx;
      image.architecture = architecture.number;
      image.bytes = std::move(made.code);
      facts.log = std::move(made.log);
      facts.compiler = nvrtc;
      facts.registers = made.resources.registers;
      facts.spill_bytes = sum_of_spills(made.resources);
      facts.shared_bytes = made.resources.shared_bytes;
    }
  }
  facts.compile_milliseconds = milliseconds();
  compiled_kernels.fetch_add(1, std::memory_order_relaxed);
  std::vector<code_image> images;
  images.push_back(std::move(image));
  return object_code(std::move(images), text.entry, std::move(facts), "compiled");
}

}  // namespace sinter::inline v0::runtime
