#pragma once
// Shapes of arrays that are written at positions that are values (scatters/scatter_node.hpp).

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_table.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace sinter::inline v0 {

/// Sets the extents of a scatter, which are those of its base. Throws shape_error where index and updates do
/// not fit each other, or not the base.
void infer_scatter(const graph& recorded, node_id id, const shape_table& shapes,
                   std::span<std::int64_t> result);

/// Throws what is wrong with the shapes given to the call to which a node belongs: with its name, its
/// operands and what would fit, or where they do fit with the reason for which the node was refused.
[[noreturn]] void throw_call(const graph& recorded, const shape_table& shapes, node_id id,
                             const scatter_call& call, const std::string& reason);

}  // namespace sinter::inline v0
