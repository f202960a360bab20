#pragma once
// Start values of reductions and scans.

#include <sinter/codegen/graph/operation.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The bits of the start value, in the operand's type: it changes no element that it is combined with.
std::uint64_t start_bits(operation op, element_type type);

/// Whether combining the start value is more than a copy: a sum starts at 0, so that it is never -0.
constexpr bool starts_at_zero(operation reduction, element_type type) {
  return facts_of(reduction).start == reduction_start::zero && is_inexact(type);
}

/// Payload of a sum in a nest that is the total of a piece of a scan: it starts at -0, as the scan does, so
/// that the pieces behind it may be -0.
inline constexpr std::uint64_t starts_as_scan = 1;
/// Whether an instruction of a nest is that sum.
template <class Instruction>
constexpr bool is_total_of_scan(const Instruction& made) {
  return made.op == operation::sum && made.payload == starts_as_scan;
}

/// Set in the payload of a reduction that gives its start value over no elements, where its row would throw.
inline constexpr std::uint64_t start_if_empty = std::uint64_t{1} << 63;
/// Set beside the axes of `reduce` if it combines elements in their order. It reduces one axis then.
inline constexpr std::uint32_t is_ordered = std::uint32_t{1} << 31;
/// Whether a reduction combines elements in their order.
template <class Node>
constexpr bool combines_in_order(const Node& reduction) {
  return reduction.op == operation::reduce && (reduction.payload >> 63) != 0;
}
/// The axes that a reduction reduces, as bits.
template <class Node>
constexpr std::uint64_t reduced_axes(const Node& reduction) {
  if (reduction.op == operation::reduce) return reduction.payload >> 32 & ~std::uint64_t{is_ordered};
  return reduction.payload & ~start_if_empty;
}
/// The axis of a scan; of an argsort the axis of its rows.
template <class Node>
constexpr unsigned scanned_axis(const Node& scan) {
  if (scan.op == operation::argsort) return scan.rank - 1u;
  return static_cast<unsigned>(scan.op == operation::scan ? scan.payload >> 32 : scan.payload);
}

}  // namespace sinter::inline v0
