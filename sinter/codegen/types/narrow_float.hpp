#pragma once
// Conversion of the floating types that are narrower than float32, bits to bits: of elements while the
// library works on a graph, of C++ scalars in programs.

#include <sinter/codegen/types/element_type.hpp>

#include <bit>
#include <cstdint>

namespace sinter::inline v0::detail {

/// A binary format of IEEE 754: sign, biased exponent, fraction of a significand with an implicit leading
/// bit. It has at most the exponents of float32, and fewer digits.
struct narrow_format {
  int exponent_bits, fraction_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
  constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
};

/// Of a storage-only type.
constexpr narrow_format format_of(element_type type) {
  return {exponent_bits(type), static_cast<int>(digits_of(type)) - 1};
}

/// The bits of the float32 with the same value; a NaN keeps its payload.
constexpr std::uint32_t widened(narrow_format from, std::uint32_t bits) {
  constexpr int fraction_bits = 23, bias = 127;
  const std::uint32_t sign = (bits & from.sign()) != 0 ? 1u << 31 : 0;
  const std::uint32_t magnitude = bits & (from.sign() - 1);
  const int wider = fraction_bits - from.fraction_bits;
  if (from.bias() == bias) return sign | magnitude << wider;
  if (magnitude >= from.infinity())
    return sign | 0xffu << fraction_bits | (magnitude - from.infinity()) << wider;
  const int bias_difference = bias - from.bias();
  if (magnitude >> from.fraction_bits != 0)
    return sign | ((magnitude << wider) + (static_cast<std::uint32_t>(bias_difference) << fraction_bits));
  // subnormal numbers are multiples of the least one, which is a normal one in float32
  const auto least = static_cast<std::uint32_t>(bias_difference + 1 - from.fraction_bits) << fraction_bits;
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * std::bit_cast<float>(least));
}

/// The bits of the nearest number, ties to even; infinity beyond the range. A NaN keeps the payload's first
/// bits.
constexpr std::uint32_t narrowed(narrow_format to, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = bits >> 63 != 0 ? to.sign() : 0;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 1024) {
    const auto payload = static_cast<std::uint32_t>(fraction >> (52 - to.fraction_bits));
    const std::uint32_t quiet = fraction != 0 ? 1u << (to.fraction_bits - 1) | payload : 0;
    return sign | to.infinity() | quiet;
  }
  if (exponent > to.bias()) return sign | to.infinity();
  int biased = exponent + to.bias();
  int dropped = 52 - to.fraction_bits;
  if (biased <= 0) {
    dropped += 1 - biased;
    biased = 0;
  }
  if (dropped > 53) return sign;
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  std::uint64_t kept = significand >> dropped;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // a carry out of the fraction correctly increments the exponent
  if (biased > 0) kept += static_cast<std::uint64_t>(biased - 1) << to.fraction_bits;
  return sign | static_cast<std::uint32_t>(kept);
}

}  // namespace sinter::inline v0::detail
