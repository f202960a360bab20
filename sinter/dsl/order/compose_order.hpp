#pragma once
// Elements in order, as nodes of a graph: what functions of lambdas record (order.hpp), for those who build
// graphs. All are made of one: the positions by which a row is in order.
//
// Equal elements keep the order of their positions. NaN of either sign is larger than all numbers, and -0
// equals 0, as in NumPy. Complex numbers are in order of their real parts, then of their imaginary parts, and
// behind them those that have NaN: R + nan j by R, nan + R j by R, nan + nan j. They have no largest
// elements, no medians and no quantiles: type_error. Rows have fewer than 2^32 elements: shape_error when
// called.
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

/// The positions along an axis by which elements are in order, as NumPy's argsort(kind="stable"): int64.
/// Throws shape_error for an axis that does not exist.
SINTER_API graph_value argsort(graph_builder& into, graph_value x, unsigned axis,
                               const std::source_location& at = std::source_location::current());
/// The elements in order along an axis.
SINTER_API graph_value sort(graph_builder& into, graph_value x, unsigned axis,
                            const std::source_location& at = std::source_location::current());

/// The number of results of top_k() along its axis, at most.
inline constexpr std::int64_t max_top = 32;
/// The positions of the `count` largest elements along an axis, the largest first; of equal ones those at the
/// lowest positions. int64. Throws shape_error for a count below 1 or above max_top, and, when called, for
/// axes of fewer elements.
SINTER_API graph_value top_positions(graph_builder& into, graph_value x, unsigned axis, std::int64_t count,
                                     const std::source_location& at = std::source_location::current());
/// The elements at these positions.
SINTER_API graph_value top_elements(graph_builder& into, graph_value x, unsigned axis, std::int64_t count,
                                    const std::source_location& at = std::source_location::current());

/// The middle element along an axis, or the mean of the two in the middle, as NumPy's median: in the floating
/// type of x, float64 for integers and booleans. NaN where a row has NaN. Throws shape_error, when called,
/// for an axis without elements.
SINTER_API graph_value median(graph_builder& into, graph_value x, unsigned axis,
                              const std::source_location& at = std::source_location::current());
/// The elements below which a fraction q of a row lies, between two elements as NumPy's quantile (method
/// "linear"). q is a number, or an array of rank 1, whose axis is then the first of the result; NaN where q
/// is not between 0 and 1. In the floating type of x, or of q where that has a type of its own that is wider.
SINTER_API graph_value quantile(graph_builder& into, graph_value x, graph_value q, unsigned axis,
                                const std::source_location& at = std::source_location::current());

/// Of an array of rank 1 in order, whether an element is the first of those that equal it: compress() of
/// sort() by it has each element once, as NumPy's unique. All NaN are equal.
SINTER_API graph_value first_of_equal(graph_builder& into, graph_value x,
                                      const std::source_location& at = std::source_location::current());

namespace detail {

/// The number of a part (parts/compose_parts.hpp): an axis, and how many elements.
constexpr std::uint64_t packed_top(std::uint64_t axis, std::int64_t count) {
  return axis | static_cast<std::uint64_t>(count) << 8;
}
constexpr unsigned axis_of_top(std::uint64_t packed) { return static_cast<unsigned>(packed & 0xff); }
constexpr std::int64_t count_of_top(std::uint64_t packed) { return static_cast<std::int64_t>(packed >> 8); }

/// The type of a median.
constexpr element_type type_of_median(operand_type x) {
  return apply_rule(type_rule::quotient, settled(x)).result.type;
}
/// The type of a quantile: that of the elements, unless q has a type of its own.
constexpr element_type type_of_quantile(operand_type x, operand_type q) {
  return apply_rule(type_rule::quotient, promote(operand_type{type_of_median(x)}, q)).result.type;
}

}  // namespace detail

}  // namespace sinter::inline v0
