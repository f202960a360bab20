#pragma once
// The distance of a computed element from the reference, in ULP of its type.

#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::testing {

/// Distance of the element `actual` from the unrounded `expected`, in units of the spacing of `type` at
/// `expected`. A correctly rounded element is at most 0.5 away. The distance of NaN is 0 from NaN and
/// infinite from everything else; a value that rounds to infinity has distance 0 from that infinity.
inline long double ulp_distance(element_type type, long double expected, std::uint64_t actual) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  const long double value = real_of(type, actual);
  if (std::isnan(expected) || std::isnan(value))
    return std::isnan(expected) && std::isnan(value) ? 0 : infinity;
  if (rounded(type, expected) == value) {
    if (std::isinf(value)) return 0;
  } else if (std::isinf(value) || std::isinf(expected)) {
    return infinity;
  }
  struct format {
    int precision, min_exponent;
  };
  const format of_type = type == element_type::float64    ? format{53, -1022}
                         : type == element_type::float32  ? format{24, -126}
                         : type == element_type::bfloat16 ? format{8, -126}
                                                          : format{11, -14};
  const int exponent =
      expected == 0 ? of_type.min_exponent : std::max(std::ilogb(expected), of_type.min_exponent);
  return std::ldexp(std::fabs(value - expected), of_type.precision - 1 - exponent);
}

}  // namespace sinter::testing
