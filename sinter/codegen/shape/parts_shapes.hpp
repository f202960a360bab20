#pragma once
// Shapes of arrays that are put together or taken apart (graph_parts.hpp), and the integers that decide them.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/scalar_values.hpp>
#include <sinter/codegen/shape/shape_table.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Makes room in the table for the integers that the graph's parts take, and wants these from `integers`.
void want_integers(const graph& recorded, scalar_values& integers, shape_table& shapes);

/// Computes node `id` if a part's integer depends on it, and sets it in the table. The extents of nodes
/// before it are known.
void set_integer(const graph& recorded, node_id id, scalar_values& integers, shape_table& shapes);

/// Sets the extents of a part. Throws shape_error where operands and integers do not fit each other, and
/// where an integer is computed with numbers that do not fit 64 bits.
void infer_part(const graph& recorded, node_id id, const scalar_values& integers, const shape_table& shapes,
                std::span<std::int64_t> result);

}  // namespace sinter::inline v0
