#pragma once
// The two 16-bit floating types as C++ scalars: storage and conversion only.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sinter::inline v0 {

namespace detail {

/// The nearest number with the given exponent and mantissa widths, ties to even; infinity beyond the range.
template <unsigned Exponent, unsigned Mantissa>
constexpr std::uint16_t round_to_half(double value) {
  constexpr int bias = (1 << (Exponent - 1)) - 1;
  constexpr std::uint32_t infinity = ((1u << Exponent) - 1) << Mantissa;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 63) << 15;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 1024) {
    const auto payload = static_cast<std::uint32_t>(fraction >> (52 - Mantissa));
    const std::uint32_t quiet = fraction != 0 ? (1u << (Mantissa - 1)) | payload : 0;
    return static_cast<std::uint16_t>(sign | infinity | quiet);
  }
  if (exponent > bias) return static_cast<std::uint16_t>(sign | infinity);
  int biased = exponent + bias;
  int dropped = 52 - static_cast<int>(Mantissa);
  if (biased <= 0) {
    dropped += 1 - biased;
    biased = 0;
  }
  if (dropped > 53) return static_cast<std::uint16_t>(sign);
  const std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  std::uint64_t kept = significand >> dropped;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // a carry out of the mantissa correctly increments the exponent
  const std::uint64_t magnitude =
      biased > 0 ? (static_cast<std::uint64_t>(biased - 1) << Mantissa) + kept : kept;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(magnitude));
}

}  // namespace detail

/// IEEE binary16. Constructed explicitly (rounding to nearest even), converts to float implicitly and
/// exactly.
class float16 {
 public:
  float16() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit float16(Number value)
      : bits_(detail::round_to_half<5, 10>(static_cast<double>(value))) {}

  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 made(0);
    made.bits_ = bits;
    return made;
  }
  constexpr std::uint16_t bits() const { return bits_; }

  constexpr operator float() const {
    const std::uint32_t sign = (bits_ & 0x8000u) << 16;
    const std::uint32_t exponent = (bits_ >> 10) & 0x1fu;
    const std::uint32_t mantissa = bits_ & 0x3ffu;
    if (exponent == 0) {
      const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t widened = exponent == 0x1f ? 0xffu : exponent + 112;
    return std::bit_cast<float>(sign | widened << 23 | mantissa << 13);
  }

 private:
  std::uint16_t bits_;
};

/// The upper half of a binary32. Constructed explicitly (rounding to nearest even), converts to float
/// implicitly.
class bfloat16 {
 public:
  bfloat16() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit bfloat16(Number value)
      : bits_(detail::round_to_half<8, 7>(static_cast<double>(value))) {}

  static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 made(0);
    made.bits_ = bits;
    return made;
  }
  constexpr std::uint16_t bits() const { return bits_; }

  constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16); }

 private:
  std::uint16_t bits_;
};

}  // namespace sinter::inline v0
