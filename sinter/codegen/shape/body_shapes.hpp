#pragma once
// Shapes of the results of nodes with bodies.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_table.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// infer_shapes(), of which a body's shapes are a call.
using shape_inference = void (*)(const graph& recorded, std::span<const array_layout> inputs,
                                 std::span<const std::uint64_t> scalars, shape_table& shapes);

/// Adds the shapes of a node's results to the table, and sets the node's own extents. A state has the shape
/// of its first value, broadcast with that of its next one and, of repeat_while, of the condition, until
/// nothing changes; zero iterations give that shape too. A result of `when` has the shape of the condition
/// and both sides together. The node of a reduction or scan has the shape of its values together; its results
/// have extent 1 along reduced axes. Throws shape_error where shapes do not broadcast.
void infer_body_shapes(const graph& recorded, node_id id, shape_table& shapes,
                       std::span<std::int64_t> extents, shape_inference infer);

}  // namespace sinter::inline v0
