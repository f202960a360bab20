#pragma once
// Positions along a nest's kept or reduced axes as digits of one number.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter {

/// Digits of a position number. Text takes them apart one by one; where there are more axes, the outer ones
/// share the last digit, which is taken apart in a loop.
inline constexpr unsigned most_digits = 8;

/// The digits of a number that counts through the kept axes of a nest, or the reduced ones, innermost first.
class axis_digits {
 public:
  axis_digits(const nest& body, bool reduced) {
    for (unsigned axis = 0; axis < body.rank; ++axis)
      if (body.is_reduced(axis) == reduced) axes_[axis_count_++] = static_cast<std::uint8_t>(axis);
  }

  unsigned axis_count() const { return axis_count_; }
  unsigned count() const { return axis_count_ < most_digits ? axis_count_ : most_digits; }
  /// The axis of a digit: of a shared one the innermost.
  unsigned axis(unsigned digit) const { return axes_[digit]; }
  /// How many axes share the last digit, where several do; else 0.
  unsigned shared_count() const { return axis_count_ > most_digits ? axis_count_ - most_digits + 1 : 0; }
  unsigned shared_axis(unsigned i) const { return axes_[most_digits - 1 + i]; }
  bool is_shared(unsigned axis) const { return shared_count() != 0 && axis >= shared_axis(0) && has(axis); }
  bool moves_along_shared(const access& at) const {
    for (unsigned i = 0; i < shared_count(); ++i)
      if (at.moves_along(shared_axis(i))) return true;
    return false;
  }
  /// Positions that a digit counts through.
  std::int64_t extent(const nest& body, unsigned digit) const {
    if (shared_count() == 0 || digit + 1 < most_digits) return body.extents[axes_[digit]];
    std::int64_t extent = 1;
    for (unsigned i = 0; i < shared_count(); ++i) extent *= body.extents[shared_axis(i)];
    return extent;
  }

 private:
  bool has(unsigned axis) const {
    for (unsigned i = 0; i < axis_count_; ++i)
      if (axes_[i] == axis) return true;
    return false;
  }

  std::array<std::uint8_t, max_rank> axes_{};
  unsigned axis_count_ = 0;
};

}  // namespace sinter
