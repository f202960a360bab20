#pragma once
// The functions that put arrays together or take them apart, as nodes of a graph (parts.hpp).

#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/graph/parts/extension.hpp>
#include <sinter/codegen/graph/parts/index_rule.hpp>

#include <cstdint>
#include <source_location>
#include <span>

namespace sinter::inline v0::detail {

/// What is composed of parts. Operands and number:
enum class composed_part : std::uint8_t {
  concatenate,      ///< arrays; the axis
  stack,            ///< arrays; the axis of the result
  pad,              ///< x, before, after; the axis, and an extension
  pad_constant,     ///< x, before, after, the element; the axis
  roll,             ///< x, n; the axis
  repeat_elements,  ///< x, n; the axis
  tile,             ///< x, a count for each axis
  lower_triangle,   ///< x, k
  upper_triangle,   ///< x, k
  diag,             ///< x of rank 1 or 2, k
  sliding_window,   ///< x, and an extent for each axis; the axes, of eight bits each from below
  reshape,          ///< x, extents; the number of the extent that is found, or as many as there are
  broadcast_to,     ///< x, extents
  squeeze,          ///< x; the axes, as bits
  iota,             ///< n
  take,             ///< x, indices; packed_take()
  take_along_axis,  ///< x, indices; packed_take()
  element,          ///< in a body: an array, an index for each axis; an index_rule
  searchsorted,     ///< sorted elements, values; a search_side
  interp,           ///< x, xp, fp, and perhaps what is left and right of xp
  random,           ///< the operands of a draw; packed_draw() (random/compose_random.hpp)
  scatter,          ///< base, index, updates; packed_scatter() (scatters/compose_scatter.hpp)
  bincount,         ///< k, n, and perhaps weights; packed_sum()
  histogram,        ///< x, bins, low, high, and perhaps weights; packed_sum()
  histogram2d,  ///< x, y, the bins of both, low and high of x, those of y, and perhaps weights; packed_sum()
  segment,      ///< x, segments, n; packed_segment()
  nonzero,      ///< x
  compress,     ///< x, mask
  assigned_at,  ///< x, values, indices; packed_take() (scatters/compose_assignment.hpp)
  assigned_where,  ///< x, values, mask
  difference,      ///< x; packed_difference() (stencils/compose_differences.hpp)
  gradient,        ///< x, spacing; packed_difference()
  trapezoid,       ///< y, spacing; the axis
  convolve,        ///< x, kernel; packed_convolution() (stencils/compose_convolution.hpp)
  correlate,       ///< x, kernel; packed_convolution()
  argsort,         ///< x; the axis (order/compose_order.hpp)
  sort,            ///< x; the axis
  top_positions,   ///< x; packed_top()
  top_elements,    ///< x; packed_top()
  median,          ///< x; the axis
  quantile,        ///< x, q; the axis
  first_of_equal,  ///< x
  permutation,     ///< n, seed, sequence (random/compose_permutation.hpp)
  shuffled,        ///< x, seed, sequence; the axis
  matmul,          ///< a, b (products/compose_products.hpp)
  dot,             ///< a, b
  vecdot,          ///< a, b; the axis, in eight bits of a signed number
  outer,           ///< a, b
  einsum,          ///< arrays, then packed_subscripts(); how many arrays (products/record_products.hpp)
};

/// `number` and `rule` are of the composed part: see its list.
struct part_request {
  composed_part what{};
  extension rule{};
  std::uint64_t number = 0;
};

/// Of take the axes of x that have an index, as bits, and before which of the other axes those of the indices
/// stand; of take_along_axis the axis.
constexpr std::uint64_t packed_take(std::uint64_t axes, unsigned place, index_rule rule) {
  return axes | std::uint64_t{place} << 16 | static_cast<std::uint64_t>(rule) << 24;
}

/// What is counted: the type of edges, and whether weights are added in any order.
constexpr std::uint64_t packed_sum(bool is_unordered, element_type edges = {}) {
  return static_cast<std::uint64_t>(edges) | std::uint64_t{is_unordered} << 8;
}

constexpr index_rule rule_of_take(std::uint64_t packed) { return static_cast<index_rule>(packed >> 24); }

/// A request in one word.
constexpr std::uint64_t packed_part(const part_request& request) {
  return static_cast<std::uint64_t>(request.what) | static_cast<std::uint64_t>(request.rule) << 8 |
         request.number << 16;
}
constexpr part_request unpacked_part(std::uint64_t request) {
  return {static_cast<composed_part>(request & 0xff), static_cast<extension>(request >> 8 & 0xff),
          request >> 16};
}

/// Adds the nodes of a composed part to a graph. Throws what graph_builder throws.
graph_value compose_part(graph_builder& into, const part_request& request,
                         std::span<const graph_value> operands, const std::source_location& at);

}  // namespace sinter::inline v0::detail
