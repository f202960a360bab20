#include <sinter/codegen/base/default_arithmetic.hpp>
#include <sinter/codegen/types/narrow_float.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace sinter::inline v0 {
namespace {

/// The double below or above, whose last bit is set unless the value is exact: rounding it to fewer digits is
/// one rounding of the value.
double rounded_to_odd(long double value) {
  const auto nearest = static_cast<double>(value);
  if (nearest == value) return nearest;
  const auto bits = std::bit_cast<std::uint64_t>(nearest);
  const bool outward = std::fabs(static_cast<long double>(nearest)) > std::fabs(value);
  return std::bit_cast<double>((outward ? bits - 1 : bits) | 1);
}

long double narrow_value(element_type type, std::uint64_t bits) {
  const auto value =
      std::bit_cast<float>(detail::widened(detail::format_of(type), static_cast<std::uint32_t>(bits)));
  return std::isnan(value) ? std::copysign(std::numeric_limits<long double>::quiet_NaN(), value) : value;
}

std::uint32_t narrow_bits(element_type type, long double value) {
  const double near = std::isnan(value) ? std::copysign(std::numeric_limits<double>::quiet_NaN(),
                                                        std::signbit(value) ? -1.0 : 1.0)
                                        : rounded_to_odd(value);
  return detail::narrowed(detail::format_of(type), near);
}

constexpr std::uint64_t mask_of(element_type type) {
  return size_of(type) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size_of(type))) - 1;
}
constexpr bool is_signed(element_type type) { return kind_of(type) == element_kind::signed_integer; }

}  // namespace

std::uint64_t canonical_bits(element_type type, std::uint64_t bits) {
  bits &= mask_of(type);
  return is_boolean(type) ? std::uint64_t{bits != 0} : bits;
}

long double real_of(element_type type, std::uint64_t bits) {
  switch (type) {
    case element_type::float64:
      return std::bit_cast<double>(bits);
    case element_type::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return narrow_value(type, bits);
  }
}

std::uint64_t real_bits(element_type type, long double value) {
  switch (type) {
    case element_type::float64:
      return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    case element_type::float32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      return narrow_bits(type, value);
  }
}

std::uint64_t integer_of(element_type type, std::uint64_t bits) {
  bits = canonical_bits(type, bits);
  const std::uint64_t sign = (mask_of(type) >> 1) + 1;
  return is_signed(type) && (bits & sign) != 0 ? bits | ~mask_of(type) : bits;
}

std::uint64_t saturated_integer(element_type type, long double value) {
  if (is_boolean(type)) return value != 0;
  if (std::isnan(value)) return 0;
  const std::uint64_t largest = is_signed(type) ? mask_of(type) >> 1 : mask_of(type);
  const long double least = is_signed(type) ? -static_cast<long double>(largest) - 1 : 0;
  if (value <= least) return is_signed(type) ? ~largest : 0;
  if (value >= static_cast<long double>(largest)) return largest;
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                         : static_cast<std::uint64_t>(value);
}

long double integer_as_real(element_type from, std::uint64_t value) {
  return is_signed(from) ? static_cast<long double>(static_cast<std::int64_t>(value))
                         : static_cast<long double>(value);
}

namespace {
std::uint64_t converted(element_type from, std::uint64_t bits, element_type to) {
  if (is_floating(from)) {
    const long double value = real_of(from, bits);
    return is_floating(to) ? real_bits(to, value) : canonical_bits(to, saturated_integer(to, value));
  }
  const std::uint64_t value = integer_of(from, bits);
  if (is_floating(to)) return real_bits(to, integer_as_real(from, value));
  return is_boolean(to) ? std::uint64_t{value != 0} : canonical_bits(to, value);
}
}  // namespace

std::uint64_t convert_bits(element_type from, std::uint64_t bits, element_type to) {
  if (!is_floating(from) && !is_floating(to)) return converted(from, bits, to);
  const default_arithmetic modes;
  default_arithmetic::pin(bits);
  std::uint64_t result = converted(from, bits, to);
  default_arithmetic::pin(result);
  return result;
}

bool fits(element_type from, std::uint64_t bits, element_type to) {
  const std::uint64_t value = integer_of(from, bits);
  const std::uint64_t back = integer_of(to, convert_bits(from, bits, to));
  // The 64 bits are equal, and it is not that one is a large unsigned and the other a negative number.
  const bool negative_from = is_signed(from) && static_cast<std::int64_t>(value) < 0;
  const bool negative_to = is_signed(to) && static_cast<std::int64_t>(back) < 0;
  return value == back && negative_from == negative_to;
}

}  // namespace sinter::inline v0
