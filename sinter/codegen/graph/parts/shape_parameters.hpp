#pragma once
// The scalars that decide shapes and positions: calls that differ in one of them are calls of different
// shapes.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <vector>

namespace sinter::inline v0 {

/// The parameters that bound views, and those on which the integers of parts (graph_parts.hpp) depend, in
/// ascending order.
std::vector<std::uint32_t> shape_parameters(const graph& recorded);

}  // namespace sinter::inline v0
