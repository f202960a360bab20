#pragma once
// Searches in sorted arrays, as nodes of a graph: what functions of lambdas record (search.hpp), for those
// who build graphs.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <optional>
#include <source_location>

namespace sinter::inline v0 {

/// Of the positions at which a value can be inserted, the one before elements that are equal to it, or the
/// one after them.
enum class search_side : std::uint8_t { left, right };

/// For each value the number of elements of `sorted`, an array of rank 1 that ascends, that come before it:
/// int64, in the shape of `values`. Throws type_error for complex numbers, shape_error for other ranks.
SINTER_API graph_value searchsorted(graph_builder& into, graph_value sorted, graph_value values,
                                    search_side side,
                                    const std::source_location& at = std::source_location::current());

/// The results of interp() before the first and behind the last point; if there is none, that of the point.
struct beyond_points {
  std::optional<graph_value> left, right;
};
/// The piecewise linear function through the points (points[i], values[i]), of which points ascend, at x: in
/// the floating type of all three, float64 for integers. Throws as searchsorted().
SINTER_API graph_value interp(graph_builder& into, graph_value x, graph_value points, graph_value values,
                              const beyond_points& beyond = {},
                              const std::source_location& at = std::source_location::current());

namespace detail {
/// The type of what interp() returns.
constexpr element_type interpolated(operand_type x, operand_type points, operand_type values) {
  const operand_type common = promote(promote(x, points), values);
  return apply_rule(type_rule::quotient, common).result.type;
}
}  // namespace detail

}  // namespace sinter::inline v0
