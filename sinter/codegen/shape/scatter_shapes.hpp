#pragma once
// Shapes of arrays that are written at positions that are values (scatters/scatter_node.hpp).

#include <sinter/codegen/shape/shape_table.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Sets the extents of a scatter, which are those of its base. Throws shape_error where index and updates do
/// not fit each other, or not the base.
void infer_scatter(const graph& recorded, node_id id, const shape_table& shapes,
                   std::span<std::int64_t> result);

}  // namespace sinter::inline v0
