#pragma once
// C++ numbers as scalars: the type with which each takes part in promotion, and its bits.

#include <sinter/codegen/types/element_type.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sinter::inline v0::detail {

/// bool is strong; every other C++ number is weak. `float` stays float32 where it meets no floating type.
template <class T>
  requires std::is_arithmetic_v<T>
inline constexpr operand_type number_type =
    std::is_same_v<T, bool>                   ? operand_type{element_type::boolean, false}
    : std::is_same_v<T, float>                ? operand_type{element_type::float32, true}
    : std::is_floating_point_v<T>             ? operand_type{element_type::float64, true}
    : std::is_unsigned_v<T> && sizeof(T) == 8 ? operand_type{element_type::uint64, true}
                                              : operand_type{element_type::int64, true};

/// The number's bits in that type.
template <class T>
  requires std::is_arithmetic_v<T>
constexpr std::uint64_t number_bits(T number) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(number);
  else if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::uint64_t>(static_cast<double>(number));
  else
    return static_cast<std::uint64_t>(number);
}

}  // namespace sinter::inline v0::detail
