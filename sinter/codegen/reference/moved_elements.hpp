#pragma once
// Where the elements of parts (graph_parts.hpp) come from, by the stated meaning of each.

#include <sinter/codegen/graph/parts/graph_parts.hpp>

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

}  // namespace sinter::inline v0
