#include <sinter/codegen/print/device_function_text.hpp>

#include <sinter/codegen/math/instruction_function.hpp>
#include <sinter/codegen/print/instruction_text.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {

std::vector<std::uint64_t> linked_externals(const kernel_description& kernel) {
  std::vector<std::uint64_t> linked;
  for (const instruction& at : kernel.body.body) {
    if (at.op != operation::external || at.by_pointer) continue;
    if (std::ranges::find(linked, at.payload) == linked.end()) linked.push_back(at.payload);
  }
  return linked;
}

std::string device_function_text(const kernel_description& kernel, std::span<const std::string_view> called) {
  const text_target target = text_target_of(kernel);
  std::string text;
  for (const std::uint64_t i : linked_externals(kernel)) {
    text += target == text_target::cuda ? "extern \"C\" __device__ " : "extern \"C\" ";
    text += external_type(kernel.externals[i], kernel.externals[i].name) + ";\n";
  }
  for (const device_function* at : collect_device_functions(called, target, text_mode_of(kernel))) {
    text += device_function_prefix(target);
    text += at->text;
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

std::string device_function_text(const kernel_description& kernel, std::span<const std::string_view> called,
                                 const lane_translator& lanes) {
  std::vector<std::string_view> scalars(called.begin(), called.end());
  scalars.insert(scalars.end(), lanes.scalar_functions().begin(), lanes.scalar_functions().end());
  return device_function_text(kernel, scalars) + lanes.definitions();
}

}  // namespace sinter::inline v0::codegen
