#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/indices/bounded_offset.hpp>

#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>

namespace sinter::inline v0 {

bool moves_beside_indices(const derived_positions& derived, std::span<const axis_map> maps,
                          bool shape_generic, std::span<const std::int64_t> extents) {
  for (std::size_t axis = 0; axis < maps.size(); ++axis)
    if (!derived.is_index(maps[axis]) && (extents[axis] > 1 || shape_generic)) return true;
  return false;
}

bool has_unbounded_index(const derived_positions& derived, std::span<const axis_map> maps,
                         const graph& recorded) {
  return std::ranges::any_of(maps, [&](const axis_map& map) {
    const derived_position* const at = derived.find(map);
    return at != nullptr && at->is_index() && !at->is_of_body() && !at->checked &&
           recorded.nodes[recorded.nodes[at->gather].inputs[1]].op != operation::clip;
  });
}

std::uint32_t bounded_offset(std::uint32_t offset, std::span<const std::int64_t> strides,
                             std::span<const std::int64_t> extents, nest& built) {
  std::int64_t lowest = 0, highest = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t reach = strides[axis] * std::max<std::int64_t>(extents[axis] - 1, 0);
    (reach < 0 ? lowest : highest) += reach;
  }
  nest_writer out(built);
  const std::uint32_t below =
      out.apply(operation::minimum, element_type::int64, {offset, out.constant(highest)});
  return out.apply(operation::maximum, element_type::int64, {below, out.constant(lowest)});
}

}  // namespace sinter::inline v0
