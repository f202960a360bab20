#pragma once
// Scatters of every element type, as nodes of a graph: what functions of lambdas record (scatter.hpp), for
// those who build graphs.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/graph/scatters/scatter_rule.hpp>

#include <cstdint>
#include <source_location>
#include <span>
#include <utility>

namespace sinter::inline v0 {

/// What becomes of updates that go to one element.
enum class scatter_combine : std::uint8_t {
  add,            ///< they are added to it; booleans: logical or
  minimum,        ///< the smallest of them and of it; NaN if any of them is
  maximum,        ///< the largest
  last,           ///< the update that comes last, row-major
  add_unordered,  ///< as add; floating sums in the order that happens
};

struct scatter_request {
  unsigned axis = 0;
  scatter_combine combine = scatter_combine::add;
  scatter_rule rule = scatter_rule::reported;
};

/// The base, some of whose elements are combined with updates at positions along an axis, which an array of
/// integers has: element (…, index (…, i, …), …) with updates (…, i, …), for each i. The result has the
/// base's type and shape, and is the same on every run (but for add_unordered).
///
/// - An index of rank 1 is one of rows: it stands along the axis, and updates are broadcast to the base along
///   the others. An index of the base's rank has a position for each update. For a base of rank 1 index and
///   updates may have any rank: they are broadcast together.
/// - Updates are converted to the base's type.
/// - Floating sums are of fixed-point numbers, which are scaled by the largest term of each element. With
///   less than 2^n - 1 updates along the axis, a term is rounded by at most 2^-p of the largest one, where p
///   is 62 - n, and 50 at most, for float64 124 - 2 n; the sum is rounded once more. Infinities and NaN give
///   what they give in any sum.
/// - add_unordered adds floating updates one by one in memory, in an order that is another in each call, and
///   so are the last bits of the sum: with n updates of an element it is off by at most n units in the last
///   place of the sum of absolute values, or of the largest part that is computed on the way. float16 and
///   bfloat16 are added in float32, and rounded once. It reads the updates once, add two or three times.
/// - Minima and maxima order -0 below 0.
///
/// Throws type_error for indices that are no integers, and for minima and maxima of complex numbers;
/// shape_error for ranks that do not fit each other, and, when called, for extents.
SINTER_API graph_value scatter(graph_builder& into, graph_value base, graph_value index, graph_value updates,
                               const scatter_request& request,
                               const std::source_location& at = std::source_location::current());

namespace detail {

constexpr std::uint64_t packed_scatter(const scatter_request& request) {
  return request.axis | static_cast<std::uint64_t>(request.combine) << 8 |
         static_cast<std::uint64_t>(request.rule) << 16;
}
constexpr scatter_request unpacked_scatter(std::uint64_t packed) {
  return {static_cast<unsigned>(packed & 0xff), static_cast<scatter_combine>(packed >> 8 & 0xff),
          static_cast<scatter_rule>(packed >> 16 & 0xff)};
}

/// A base, and an index and updates as graph_builder::scatter() takes them.
struct scatter_operands {
  graph_value base, index, updates;
};
/// The same for sums of float32 and float64.
graph_value scatter_floating_sum(graph_builder& into, const scatter_operands& operands, unsigned axis,
                                 scatter_rule rule, const std::source_location& at);

}  // namespace detail
}  // namespace sinter::inline v0
