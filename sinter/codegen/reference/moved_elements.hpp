#pragma once
// Where the elements of views and parts (graph_parts.hpp) come from, by the stated meaning of each.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/parts/index_rule.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// A position in an operand of a node.
struct element_position {
  unsigned operand = 0;
  std::vector<std::int64_t> at;
};

/// The element that a part has at a position. `extents` are those of its arrays, `integers` the values of
/// scalars_of().
element_position moved_from(const node& part, std::span<const std::span<const std::int64_t>, 2> extents,
                            std::span<const std::int64_t> integers, std::span<const std::int64_t> at);

/// The position in the source, of these extents, of the element that a view has at a position.
std::vector<std::int64_t> viewed_from(std::span<const view_item> items, std::span<const std::int64_t> extents,
                                      std::span<const std::uint64_t> scalars,
                                      std::span<const std::int64_t> at);

/// The position of an index of this type on an axis; the nearest one where it is out of range. There is one.
std::int64_t position_of_index(std::uint64_t index, element_type type, std::int64_t extent, index_rule rule);

}  // namespace sinter::inline v0
