#pragma once
// Reductions that are composed of several operations, as nodes of a graph: means, variances, norms, softmax.
// They mean what the functions of the same names in dsl/reductions.hpp mean, and have their types: integers
// are computed in float64, float16 and bfloat16 in float32. What the table of operations has,
// graph_builder::reduce() appends.
//
//     builder.output(softmax(builder, x, {.axes = 0b10}));
//
// All throw shape_error for an axis that x does not have and for a mask of a higher rank, and type_error for
// complex elements that have no order, for a mask that is not boolean, and for an option that is not theirs.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <cstdint>
#include <optional>
#include <source_location>

namespace sinter::inline v0 {

/// What a reduction takes beside its elements.
struct reduction_options {
  static constexpr std::uint32_t all_axes = ~std::uint32_t{0};
  std::uint32_t axes = all_axes;              ///< as bits: 0b10 is axis 1
  bool keepdims = false;                      ///< the axes stay, with extent 1
  std::optional<graph_value> mask{};          ///< boolean: only elements where it is true
  std::optional<graph_value> ddof{};          ///< of variances: divides by the number of elements - ddof
  std::optional<element_type> accumulator{};  ///< elements are converted first; it is the result's type
  double order = 2;                           ///< of norm
};

/// Sum of the elements that are not NaN.
SINTER_API graph_value nansum(graph_builder& into, graph_value x, const reduction_options& options = {},
                              const std::source_location& at = std::source_location::current());
/// Product of the elements that are not NaN.
SINTER_API graph_value nanprod(graph_builder& into, graph_value x, const reduction_options& options = {},
                               const std::source_location& at = std::source_location::current());
/// How many elements are not 0: int64.
SINTER_API graph_value count_nonzero(graph_builder& into, graph_value x,
                                     const reduction_options& options = {},
                                     const std::source_location& at = std::source_location::current());
/// Position of the largest element that is not NaN, int64; -1 where all are.
SINTER_API graph_value nanargmax(graph_builder& into, graph_value x, const reduction_options& options = {},
                                 const std::source_location& at = std::source_location::current());
/// Position of the smallest element that is not NaN, int64; -1 where all are.
SINTER_API graph_value nanargmin(graph_builder& into, graph_value x, const reduction_options& options = {},
                                 const std::source_location& at = std::source_location::current());
/// Arithmetic mean; NaN of no elements.
SINTER_API graph_value mean(graph_builder& into, graph_value x, const reduction_options& options = {},
                            const std::source_location& at = std::source_location::current());
/// Variance, in two passes. With options.ddof it divides by the number of elements less that.
SINTER_API graph_value var(graph_builder& into, graph_value x, const reduction_options& options = {},
                           const std::source_location& at = std::source_location::current());
/// Standard deviation: the square root of the variance.
SINTER_API graph_value stddev(graph_builder& into, graph_value x, const reduction_options& options = {},
                              const std::source_location& at = std::source_location::current());
/// Mean of the elements that are not NaN; NaN if all are.
SINTER_API graph_value nanmean(graph_builder& into, graph_value x, const reduction_options& options = {},
                               const std::source_location& at = std::source_location::current());
/// Variance of the elements that are not NaN.
SINTER_API graph_value nanvar(graph_builder& into, graph_value x, const reduction_options& options = {},
                              const std::source_location& at = std::source_location::current());
/// Standard deviation of the elements that are not NaN.
SINTER_API graph_value nanstddev(graph_builder& into, graph_value x, const reduction_options& options = {},
                                 const std::source_location& at = std::source_location::current());
/// Norm of the elements as one vector, of options.order: 2, 1, inf, -inf, 0 or any other.
SINTER_API graph_value norm(graph_builder& into, graph_value x, const reduction_options& options = {},
                            const std::source_location& at = std::source_location::current());
/// Logarithm of the sum of exponentials, without overflow.
SINTER_API graph_value logsumexp(graph_builder& into, graph_value x, const reduction_options& options = {},
                                 const std::source_location& at = std::source_location::current());
/// Exponentials divided by their sum along the axes, without overflow; in the operand's shape.
SINTER_API graph_value softmax(graph_builder& into, graph_value x, const reduction_options& options = {},
                               const std::source_location& at = std::source_location::current());
/// Logarithm of softmax; in the operand's shape.
SINTER_API graph_value log_softmax(graph_builder& into, graph_value x, const reduction_options& options = {},
                                   const std::source_location& at = std::source_location::current());

}  // namespace sinter::inline v0
