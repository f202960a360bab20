#pragma once
// What x(i) = v and x(mask) = v make of x, as nodes of a graph.

#include <sinter/codegen/graph/graph_value.hpp>

#include <cstdint>
#include <source_location>
#include <span>

namespace sinter::inline v0::detail {

/// x with values at the positions that indices of some of its axes name: `operands` are x, the values and an
/// index for each axis whose bit is set in `axes`. The indices are broadcast together; before axis `place` of
/// the other axes of x stand theirs in the shape to which the values are broadcast. Of several values for one
/// element the last in row-major order stays. An index out of range is reported, and its value is not
/// written.
graph_value assigned_at(graph_builder& into, std::span<const graph_value> operands, std::uint64_t axes,
                        unsigned place, const std::source_location& at);

/// x with values, broadcast to its shape, where a mask of its shape holds. Throws shape_error when called if
/// the mask has another one.
graph_value assigned_where(graph_builder& into, graph_value x, graph_value values, graph_value mask,
                           const std::source_location& at);

}  // namespace sinter::inline v0::detail
