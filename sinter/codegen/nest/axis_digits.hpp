#pragma once
// Positions along a nest's kept or reduced axes, as the digits of one number.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter::inline v0 {

/// Maximum number of digits. Emitted text decodes them one by one; if there are more axes, the outer ones
/// share the last digit, which is decoded in a loop.
inline constexpr unsigned max_digits = 8;

/// The digits of a number that counts through the kept or the reduced axes of a nest, innermost first.
class axis_digits {
 public:
  axis_digits(const nest_body& body, bool reduced) {
    for (unsigned axis = 0; axis < body.rank; ++axis)
      if (body.is_reduced(axis) == reduced) axes_[axis_count_++] = static_cast<std::uint8_t>(axis);
  }

  unsigned axis_count() const { return axis_count_; }
  unsigned count() const { return axis_count_ < max_digits ? axis_count_ : max_digits; }
  /// The axis of a digit; the innermost axis of a shared digit.
  unsigned axis(unsigned digit) const { return axes_[digit]; }
  /// The number of axes that share the last digit, if several do; else 0.
  unsigned shared_count() const { return axis_count_ > max_digits ? axis_count_ - max_digits + 1 : 0; }
  unsigned shared_axis(unsigned i) const { return axes_[max_digits - 1 + i]; }
  bool is_shared(unsigned axis) const { return shared_count() != 0 && axis >= shared_axis(0) && has(axis); }
  template <typename Access>
  bool moves_along_shared(const Access& at) const {
    for (unsigned i = 0; i < shared_count(); ++i)
      if (at.moves_along(shared_axis(i))) return true;
    return false;
  }
  /// The number of positions of a digit.
  std::int64_t extent(const nest& body, unsigned digit) const {
    if (shared_count() == 0 || digit + 1 < max_digits) return body.extents[axes_[digit]];
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

}  // namespace sinter::inline v0
