#pragma once
// What becomes of a number that may be no position of an axis.

#include <cstdint>

namespace sinter::inline v0 {

/// How a number that may lie outside of an axis becomes a position on it.
enum class position_rule : std::uint8_t {
  clip,          ///< the nearest position
  part,          ///< the same of an axis that may be empty: then nothing is read
  wrap,          ///< modulo the extent
  wrap_near,     ///< the same of numbers at most one extent away, which takes no division and no branch
  reflect,       ///< mirrored at the first and the last position, which are not repeated
  reflect_near,  ///< the same of numbers that are mirrored once
  quotient,      ///< divided by a divisor
  digit,         ///< the same, then modulo the extent
  index,         ///< an index that is read: from the end if it is negative, and then the nearest position
};
/// Whether a rule leaves a number as it is that is a position already.
constexpr bool keeps_positions(position_rule rule) { return rule < position_rule::quotient; }

constexpr bool wraps(position_rule rule) {
  return rule == position_rule::wrap || rule == position_rule::wrap_near;
}
constexpr bool is_clip(position_rule rule) { return rule == position_rule::clip; }
constexpr bool clips(position_rule rule) {
  return rule == position_rule::clip || rule == position_rule::part;
}

}  // namespace sinter::inline v0
