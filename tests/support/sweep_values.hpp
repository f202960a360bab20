#pragma once
// Elements worth trying: the corners of every type, then random ones of several kinds.

#include <cstddef>
#include <cstdint>
#include <sinter/codegen/graph/element_type.hpp>
#include <vector>

namespace sinter::test {

/// Elements as bits, each as canonical_bits() has it; of a complex one those of both parts.
using bits = std::vector<std::uint64_t>;
constexpr std::size_t parts_of(element_type type) { return is_complex(type) ? 2 : 1; }

/// Zeros, infinities, NaN, denormals, extremes, halves, the arguments at which functions overflow; of
/// integers the least, the greatest, the shift widths. Each once.
bits special_values(element_type type);

/// `count` values: random bits, log-uniform, small, and multiples of a half.
bits random_values(element_type type, std::size_t count, std::uint64_t seed);

/// Three operands of `count` elements. The first two meet in every pair of special values as far as `count`
/// goes; the rest is random.
struct operand_values {
  bits first, second, third;
};
operand_values sweep_operands(element_type type, std::size_t count, std::uint64_t seed);

/// Elements side by side in memory, and back; `count` elements.
std::vector<std::byte> pack(element_type type, const bits& values);
bits unpack(element_type type, const std::byte* elements, std::size_t count);

}  // namespace sinter::test
