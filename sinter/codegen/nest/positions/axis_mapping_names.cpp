#include <sinter/codegen/nest/positions/axis_mapping_names.hpp>

namespace sinter::inline v0 {

void axis_mapping_names::clear() {
  steps_.clear();
  known_.clear();
}

std::uint32_t axis_mapping_names::of_view(std::uint32_t outer, node_id view, unsigned item) {
  return find_or_add(outer, view, item, false);
}

std::uint32_t axis_mapping_names::of_operand(std::uint32_t outer, node_id operand, unsigned axis) {
  while (outer != 0 && steps_[outer - 1].is_operand) outer = steps_[outer - 1].outer;
  return find_or_add(outer, operand, axis, true);
}

std::uint32_t axis_mapping_names::find_or_add(std::uint32_t outer, node_id node, unsigned step,
                                              bool is_operand) {
  const auto [at, is_new] =
      known_.try_emplace({outer, node, step, is_operand}, static_cast<std::uint32_t>(steps_.size() + 1));
  if (is_new) steps_.push_back({is_operand, outer});
  return at->second;
}

}  // namespace sinter::inline v0
