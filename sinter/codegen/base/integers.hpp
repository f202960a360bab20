#pragma once
// Arithmetic of counts and extents that the pass is full of: quotients and powers of two, rounded up or down.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sinter {

/// How many parts of `size` hold `count` elements: the quotient, rounded up. Neither is negative, nor their
/// sum too large for the type.
template <class Integer>
constexpr Integer divide_up(Integer count, std::type_identity_t<Integer> size) {
  return static_cast<Integer>((count + size - 1) / size);
}

/// The smallest multiple of `size` that is not less than `count`.
template <class Integer>
constexpr Integer round_up(Integer count, std::type_identity_t<Integer> size) {
  return static_cast<Integer>(divide_up(count, size) * size);
}

/// The smallest power of two that is not less than `value`; of values below 1 it is 1.
constexpr std::int64_t power_above(std::int64_t value) {
  return value <= 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

/// The largest power of two that is not more than `value`; of values below 1 it is 1.
constexpr std::int64_t power_below(std::int64_t value) {
  return value <= 1 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

}  // namespace sinter
