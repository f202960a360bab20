#pragma once
// Differences, slopes and areas along an axis, as nodes of a graph: what functions of lambdas record
// (differences.hpp), for those who build graphs.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <cstdint>
#include <source_location>

namespace sinter::inline v0 {

/// How gradient() finds the slope at the two ends of an axis: through two elements, or through three.
enum class edge_order : std::uint8_t { first = 1, second = 2 };

/// Differences of neighbours along an axis, `order` times, as NumPy's diff: the axis has `order` elements
/// fewer, none if it has no more than that. Unsigned integers wrap; of booleans whether neighbours differ.
/// Throws shape_error for an axis that does not exist, and for an order that is negative or above
/// max_difference_order.
SINTER_API graph_value diff(graph_builder& into, graph_value x, std::int64_t order, unsigned axis,
                            const std::source_location& at = std::source_location::current());

/// Each difference reads its operand twice, so that the order bounds the size of the graph.
inline constexpr std::int64_t max_difference_order = 32;

/// The slope at each element, as NumPy's gradient along one axis. `spacing` is a number, or an array of
/// rank 1: the coordinate of each element. In the floating or complex type of x, float64 for integers and
/// booleans. Throws type_error for complex spacings; shape_error for other ranks, and, when called, for axes
/// of less than two elements, three for edge_order::second.
SINTER_API graph_value gradient(graph_builder& into, graph_value x, graph_value spacing, unsigned axis,
                                edge_order ends = edge_order::first,
                                const std::source_location& at = std::source_location::current());

/// The area below y along an axis by the trapezoidal rule, as NumPy's trapezoid: 0 for less than two
/// elements. `spacing` is a number, or the coordinate of each element: an array of rank 1, or of the rank
/// of y. In the floating or complex type of both, float64 for integers and booleans, to which elements are
/// converted first. Throws shape_error for other ranks.
SINTER_API graph_value trapezoid(graph_builder& into, graph_value y, graph_value spacing, unsigned axis,
                                 const std::source_location& at = std::source_location::current());

namespace detail {

/// The type of slopes.
constexpr element_type type_of_slopes(operand_type x) {
  return apply_rule(type_rule::quotient, settled(x)).result.type;
}
/// The type of areas.
constexpr element_type type_of_areas(operand_type y, operand_type spacing) {
  return apply_rule(type_rule::quotient, promote(y, spacing)).result.type;
}

/// The number of a part (parts/compose_parts.hpp): an axis, and an order of differences or of ends.
constexpr std::uint64_t packed_difference(std::uint64_t axis, std::int64_t order) {
  return axis | static_cast<std::uint64_t>(order) << 8;
}
constexpr unsigned axis_of_difference(std::uint64_t packed) { return static_cast<unsigned>(packed & 0xff); }
constexpr std::int64_t order_of_difference(std::uint64_t packed) {
  return static_cast<std::int64_t>(packed >> 8);
}
/// Throws shape_error for an order that diff() does not take.
SINTER_API void check_difference_order(std::int64_t order, const std::source_location& at);

}  // namespace detail

}  // namespace sinter::inline v0
