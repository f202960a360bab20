#pragma once
// Single elements as bits: their values, and exact conversion between element types. For making and folding
// literals and for the reference interpreter; emitted text does the same in kernels.
//
// The bits of an element fill the low bytes of 64; the others are zero (so -1 of int8 is 0xff). bool is 0
// or 1.

#include <sinter/codegen/types/element_type.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// Brings bits to an element's canonical form: high bytes zero, any non-zero bool 1.
std::uint64_t canonical_bits(element_type type, std::uint64_t bits);

/// The exact value of a floating element.
long double real_of(element_type type, std::uint64_t bits);
/// The nearest element of a floating type, ties to even; infinity beyond the range.
std::uint64_t real_bits(element_type type, long double value);
/// A value rounded once to a floating type.
inline long double rounded(element_type type, long double value) {
  return real_of(type, real_bits(type, value));
}

/// Value of a bool or integer element as two's complement in 64 bits: sign-extended if the type is signed.
std::uint64_t integer_of(element_type type, std::uint64_t bits);
/// A floating value converted to an integer type: toward zero, saturating, NaN gives 0. The result has the
/// form of integer_of().
std::uint64_t saturated_integer(element_type type, long double value);
/// An integer in the form of integer_of(from), as an exact floating number.
long double integer_as_real(element_type from, std::uint64_t value);

/// Conversion as a cast does it: integers wrap, floating to integer saturates, NaN gives 0, to bool means
/// "not 0".
std::uint64_t convert_bits(element_type from, std::uint64_t bits, element_type to);

/// Whether a bool or integer element is in the range of another bool or integer type.
bool fits(element_type from, std::uint64_t bits, element_type to);

}  // namespace sinter::inline v0
