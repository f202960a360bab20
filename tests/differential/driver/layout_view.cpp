#include "layout_view.hpp"

namespace differential {

sinter::any_view view_of(const program& source, const layout& at) {
  return {source.buffers[at.buffer].data() + at.byte_offset, at.type, at.extents, at.strides,
          chosen_device()};
}

std::vector<sinter::any_view> operands_of(const program& source) {
  std::vector<sinter::any_view> operands;
  for (const value_line& value : source.values)
    if (value.kind == "input") operands.push_back(view_of(source, value.input));
  return operands;
}

std::vector<sinter::any_view> targets_of(const program& source) {
  std::vector<sinter::any_view> targets;
  for (const output_line& output : source.outputs)
    if (output.has_target) targets.push_back(view_of(source, output.target));
  return targets;
}

}  // namespace differential
