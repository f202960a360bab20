// The kernels of a call as text: what is compiled, and what compilers make of it.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/explain/imagined_request.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/disassemble.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// What is shown of a call, as it was lowered for a target.
struct listed_call {
  const lowered_call& lowered;
  const target_facts& target;
  kernel_listing listing;
  /// Finds or compiles a stage's kernel for a GPU.
  std::function<object_code(const stage& at, const kernel_text& text)> code_of;

  bool is_assembly_of_cpu() const {
    return target.kind == target_kind::cpu && listing == kernel_listing::assembly;
  }
};

std::string disassembled(const object_code& code) {
  const std::vector<code_image>& images = code.images();
  const auto machine_code = std::ranges::find_if(images, [](const code_image& each) {
    return each.format == code_format::cubin || each.format == code_format::fatbin;
  });
  if (machine_code == images.end())
    throw device_error(fmt::format(
        "kernel {} is PTX, which the driver translates, because NVRTC does not know this GPU yet: "
        "ask for ptx(), or install a newer NVRTC",
        code.entry()));
  return disassemble(*machine_code).text;
}

std::string list_kernel(const listed_call& of, const stage& at, const kernel_text& text) {
  if (of.listing == kernel_listing::source) return text.source;
  if (of.listing == kernel_listing::ptx || of.is_assembly_of_cpu()) return listing_of_kernel(text, of.target);
  return disassembled(of.code_of(at, text));
}

std::string list_kernels(const listed_call& of) {
  const char* const comment = of.is_assembly_of_cpu() ? "#" : "//";
  const std::size_t count = of.lowered.stage_count;
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    const stage& at = of.lowered.stages[i];
    if (at.sorts.key_bytes != 0) {
      all += fmt::format("{} stage {} of {} has no kernel: {}\n", comment, i + 1, count, describe(at.sorts));
      continue;
    }
    const kernel_text text = emit(at);
    if (count > 1) all += fmt::format("{} kernel {} of {}: {}\n", comment, i + 1, count, text.entry);
    all += list_kernel(of, at, text);
    if (!all.ends_with('\n')) all += '\n';
  }
  return all;
}

}  // namespace

std::string source(const function_handle& called, std::span<const operand> operands,
                   std::span<const scalar> scalars, const call_options& options,
                   std::span<const operand> into, kernel_listing listing) {
  const call_request request = make_request(held(called), operands, scalars, into, options);
  if (listing == kernel_listing::ptx && request.where.is_cpu())
    throw device_error(describe(*called) + ": it runs on the CPU, which has no PTX: ask for assembly()");
  const state_guard state;
  const auto code_of = [&](const stage& at, const kernel_text&) {
    return make_kernel(at, facts_of(request.where), called->simplified(), request.driver->version).code;
  };
  // The attempt that a call uses is known once it was compiled; before that it is the first.
  return list_kernels({state->lower_as_known(request), facts_of(request.where), listing, code_of});
}

std::string source_for(std::string_view model, const function_handle& called,
                       std::span<const operand> operands, std::span<const scalar> scalars,
                       const call_options& options, kernel_listing listing) {
  const target_facts target = facts_of(model_named(model));
  const imagined_request request(held(called), operands, scalars, options);
  const state_guard state;
  const auto code_of = [&](const stage&, const kernel_text& text) { return compile_kernel(text, target); };
  return list_kernels({state->lower_for(request.made, target), target, listing, code_of});
}

}  // namespace sinter::inline v0::runtime
