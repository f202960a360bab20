#pragma once
// Elements for tests: the special values of every type, then several kinds of random ones.

#include <cstddef>
#include <cstdint>
#include <sinter/codegen/types/element_type.hpp>
#include <vector>

namespace sinter::test {

/// Elements as bits in the form of canonical_bits(); for complex elements the bits of both parts.
using bits = std::vector<std::uint64_t>;
constexpr std::size_t parts_of(element_type type) { return is_complex(type) ? 2 : 1; }

/// Each once: zeros, infinities, NaN, denormals, extremes, halves, and arguments at which functions overflow;
/// for integers the least, the greatest and the shift widths.
bits special_values(element_type type);

/// `count` values: random bits, log-uniform, small, and multiples of a half.
bits random_values(element_type type, std::size_t count, std::uint64_t seed);

/// Three operands of `count` elements. The first two contain every pair of special values, as far as `count`
/// allows; the rest is random.
struct operand_values {
  bits first, second, third;
};
operand_values sweep_operands(element_type type, std::size_t count, std::uint64_t seed);

/// Converts elements to contiguous memory and back; `count` elements.
std::vector<std::byte> pack(element_type type, const bits& values);
bits unpack(element_type type, const std::byte* elements, std::size_t count);

}  // namespace sinter::test
