#pragma once
// Single elements as bits: what they are worth, and exact conversion between element types. Used where a
// literal is made or folded and by the reference interpreter; kernels do the same in emitted text.
//
// The bits of an element fill the low bytes of 64; the others are zero (so -1 of int8 is 0xff). bool is 0
// or 1.

#include <sinter/codegen/graph/element_type.hpp>

#include <cstdint>

namespace sinter {

/// Cuts bits to an element's canonical form: high bytes zero, any non-zero bool 1.
std::uint64_t canonical_bits(element_type type, std::uint64_t bits);

/// Value of a floating element, exact.
long double real_of(element_type type, std::uint64_t bits);
/// Nearest element of a floating type, halves to even; beyond the range infinity.
std::uint64_t real_bits(element_type type, long double value);
/// A floating value rounded to a floating type, in one rounding.
inline long double rounded(element_type type, long double value) {
  return real_of(type, real_bits(type, value));
}

/// Value of a bool or integer element as two's complement in 64 bits: sign-extended if the type is signed.
std::uint64_t integer_of(element_type type, std::uint64_t bits);
/// A floating value as an integer type: toward zero, saturating, NaN is 0. The result is as integer_of gives
/// it.
std::uint64_t saturated_integer(element_type type, long double value);
/// A value as integer_of(from) gives it as a floating number, exact.
long double integer_as_real(element_type from, std::uint64_t value);

/// Conversion as a cast does it: integers wrap, floating to integer saturates, NaN gives 0, to bool is "not
/// 0".
std::uint64_t convert_bits(element_type from, std::uint64_t bits, element_type to);

/// Whether a bool or integer element is in the range of another bool or integer type.
bool fits(element_type from, std::uint64_t bits, element_type to);

}  // namespace sinter
