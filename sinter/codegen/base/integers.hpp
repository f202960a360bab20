#pragma once
// Arithmetic on counts and extents: quotients and powers of two, rounded up or down.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sinter::inline v0 {

/// The quotient of `count` and `size`, rounded up. Neither may be negative, and their sum must fit the type.
template <class Integer>
constexpr Integer divide_up(Integer count, std::type_identity_t<Integer> size) {
  return static_cast<Integer>((count + size - 1) / size);
}

/// The smallest multiple of `size` that is not less than `count`.
template <class Integer>
constexpr Integer round_up(Integer count, std::type_identity_t<Integer> size) {
  return static_cast<Integer>(divide_up(count, size) * size);
}

/// The smallest power of two that is not less than `value`; 1 for values below 1.
constexpr std::int64_t power_above(std::int64_t value) {
  return value <= 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

/// The largest power of two that is not more than `value`; 1 for values below 1.
constexpr std::int64_t power_below(std::int64_t value) {
  return value <= 1 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

}  // namespace sinter::inline v0
