#pragma once
// The two 16-bit floating types as C++ scalars: storage and conversion only.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#include <sinter/codegen/types/narrow_float.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sinter::inline v0 {

/// IEEE binary16. Constructed explicitly (rounding to nearest even), converts to float implicitly and
/// exactly.
class float16 {
 public:
  float16() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit float16(Number value)
      : bits_(static_cast<std::uint16_t>(
            detail::narrowed(detail::format_of(element_type::float16), static_cast<double>(value)))) {}

  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 made(0);
    made.bits_ = bits;
    return made;
  }
  constexpr std::uint16_t bits() const { return bits_; }

  constexpr operator float() const {
    return std::bit_cast<float>(detail::widened(detail::format_of(element_type::float16), bits_));
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
      : bits_(static_cast<std::uint16_t>(
            detail::narrowed(detail::format_of(element_type::bfloat16), static_cast<double>(value)))) {}

  static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 made(0);
    made.bits_ = bits;
    return made;
  }
  constexpr std::uint16_t bits() const { return bits_; }

  constexpr operator float() const {
    return std::bit_cast<float>(detail::widened(detail::format_of(element_type::bfloat16), bits_));
  }

 private:
  std::uint16_t bits_;
};

}  // namespace sinter::inline v0
