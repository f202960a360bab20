#pragma once
// Counts of integers and of bins, segments and chosen elements, as nodes of a graph: what functions of
// lambdas record (histogram.hpp, scatter.hpp, compress.hpp), for those who build graphs.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>

#include <optional>
#include <source_location>

namespace sinter::inline v0 {

/// Weights of what is counted, or none. Unordered: floating ones are added in the order that happens
/// (scatter_combine::add_unordered).
struct counted_weights {
  std::optional<graph_value> each{};
  bool is_unordered = false;

  counted_weights() = default;
  counted_weights(graph_value of) : each(of) {}
  counted_weights(std::optional<graph_value> of, bool unordered = false)
      : each(of), is_unordered(unordered) {}
};

/// How often each of the integers 0, 1, … n - 1 is among k, of any shape: int64, or the sums of their
/// weights, of which integers are added in 64 bits. Other integers are an index_error of the call. `n` is an
/// integer of rank 0 that is known before the call.
SINTER_API graph_value bincount(graph_builder& into, graph_value k, graph_value n,
                                const counted_weights& weights = {},
                                const std::source_location& at = std::source_location::current());

/// Bins of equal width from low to high, which are of rank 0. Edges are those of NumPy's linspace.
struct bin_range {
  graph_value bins, low, high;
};
/// How many elements lie in each bin, or the sums of their weights: an edge belongs to the bin above it, the
/// last one to the last bin; what is outside, and NaN, is not counted. Edges are rounded to a floating type.
SINTER_API graph_value histogram(graph_builder& into, graph_value x, const bin_range& range,
                                 element_type edges, const counted_weights& weights = {},
                                 const std::source_location& at = std::source_location::current());
/// The same for points (x, y), with edges of float64: row i has bin i of x.
SINTER_API graph_value histogram2d(graph_builder& into, graph_value x, graph_value y,
                                   const bin_range& range_x, const bin_range& range_y,
                                   const counted_weights& weights = {},
                                   const std::source_location& at = std::source_location::current());

/// What becomes of the rows of a segment.
enum class segment_result : std::uint8_t { sum, minimum, maximum, mean, sum_unordered };
struct segment_request {
  segment_result result = segment_result::sum;
  unsigned axis = 0;
};
/// Of the rows along an axis the results of each of n segments, whose number an array of rank 1 has for each
/// row. sum_unordered adds floating rows in the order that happens. What has no row is 0, the greatest or the
/// least number of the type, or NaN.
SINTER_API graph_value segment(graph_builder& into, graph_value x, graph_value segments, graph_value n,
                               const segment_request& request,
                               const std::source_location& at = std::source_location::current());

/// The positions of the elements that are not 0, row-major, and then zeros: int64, as many as there are
/// elements.
SINTER_API graph_value nonzero(graph_builder& into, graph_value x,
                               const std::source_location& at = std::source_location::current());
/// The elements where a mask of the same shape is not 0, row-major, and then zeros.
SINTER_API graph_value compress(graph_builder& into, graph_value x, graph_value mask,
                                const std::source_location& at = std::source_location::current());

namespace detail {
constexpr std::uint64_t packed_segment(const segment_request& request) {
  return request.axis | static_cast<std::uint64_t>(request.result) << 8;
}
constexpr segment_request unpacked_segment(std::uint64_t packed) {
  return {static_cast<segment_result>(packed >> 8), static_cast<unsigned>(packed & 0xff)};
}
}  // namespace detail

}  // namespace sinter::inline v0
