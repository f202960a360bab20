#include <sinter/codegen/graph/scalar.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sinter::inline v0 {
namespace {

/// A 16-bit floating format with an implicit leading bit.
struct half_format {
  int precision;           ///< bits of the significand, the implicit one included
  int least_exponent;      ///< of a normal number
  std::uint32_t infinity;  ///< its bits
};
constexpr half_format format_of(element_type type) {
  return type == element_type::float16 ? half_format{11, -14, 0x7c00} : half_format{8, -126, 0x7f80};
}

long double half_value(half_format format, std::uint32_t bits) {
  const bool negative = (bits & 0x8000) != 0;
  const std::uint32_t magnitude = bits & 0x7fff;
  const std::uint32_t leading = 1u << (format.precision - 1);
  long double value;
  if (magnitude > format.infinity)
    value = std::numeric_limits<long double>::quiet_NaN();
  else if (magnitude == format.infinity)
    value = std::numeric_limits<long double>::infinity();
  else {
    const std::uint32_t fraction = magnitude & (leading - 1);
    const int exponent = static_cast<int>(magnitude >> (format.precision - 1));
    const std::uint32_t significand = exponent == 0 ? fraction : fraction + leading;
    const int scale = format.least_exponent - (format.precision - 1) + (exponent == 0 ? 0 : exponent - 1);
    value = std::ldexp(static_cast<long double>(significand), scale);
  }
  return std::copysign(value, negative ? -1.0L : 1.0L);
}

std::uint32_t half_bits(half_format format, long double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) return sign | format.infinity | 1u << (format.precision - 2);
  value = std::fabs(value);
  if (value == 0) return sign;
  if (std::isinf(value)) return sign | format.infinity;
  const int exponent = std::max(std::ilogb(value), format.least_exponent);
  if (exponent > -format.least_exponent + 1) return sign | format.infinity;
  // Scaled so that the last place is 1: rounding gives an integer, and its carry correctly increments the
  // exponent field. A subnormal is the same sum with a significand below the leading bit.
  const long double scaled = std::nearbyint(std::ldexp(value, format.precision - 1 - exponent));
  const auto field = static_cast<std::uint32_t>(exponent - format.least_exponent + 1);
  const std::uint32_t leading = 1u << (format.precision - 1);
  return sign | std::min((field << (format.precision - 1)) + static_cast<std::uint32_t>(scaled) - leading,
                         format.infinity);
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
      return half_value(format_of(type), static_cast<std::uint32_t>(bits));
  }
}

std::uint64_t real_bits(element_type type, long double value) {
  switch (type) {
    case element_type::float64:
      return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    case element_type::float32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      return half_bits(format_of(type), value);
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

std::uint64_t convert_bits(element_type from, std::uint64_t bits, element_type to) {
  if (is_floating(from)) {
    const long double value = real_of(from, bits);
    return is_floating(to) ? real_bits(to, value) : canonical_bits(to, saturated_integer(to, value));
  }
  const std::uint64_t value = integer_of(from, bits);
  if (is_floating(to)) return real_bits(to, integer_as_real(from, value));
  return is_boolean(to) ? std::uint64_t{value != 0} : canonical_bits(to, value);
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
