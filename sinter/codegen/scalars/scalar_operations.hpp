#pragma once
// One operation on scalars, with the meaning that operations.def states (operations.hpp). The reference
// interpreter and constant folding use it.

#include <sinter/codegen/graph/operation.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// The type in which the reference computes floating operations.
enum class reference_precision : std::uint8_t {
  extended,  ///< long double: every operation has more digits than any element type
  native,    ///< float or double, as kernels compute: + - * / and sqrt give the kernel's bits
};

/// A scalar of any type: `real` for floating types, also `imaginary` for complex types, else `integer` (in
/// the form of integer_of()).
struct reference_value {
  long double real = 0;
  std::uint64_t integer = 0;
  long double imaginary = 0;
};

/// Applies a row of the table (not a structural operation) to operands of type `compute` (for where, the
/// first one is boolean). The result is not rounded to an element type; with native precision that matters
/// only for the half types, which compute in float.
reference_value evaluate(operation op, element_type compute, reference_precision precision,
                         std::span<const reference_value> operands);

/// A real element as a reference value, and back; storing rounds to the type.
reference_value load_reference(element_type type, std::uint64_t bits);
std::uint64_t store_reference(element_type type, const reference_value& value);
/// Conversion as a cast does it, rounding to `to`.
reference_value cast_reference(element_type from, const reference_value& value, element_type to);

}  // namespace sinter::inline v0
