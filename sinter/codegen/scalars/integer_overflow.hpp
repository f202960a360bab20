#pragma once
// Integer operations whose exact result does not fit 64 bits.

#include <sinter/codegen/scalars/scalar_operations.hpp>

#include <span>

namespace sinter::inline v0 {

/// Whether evaluate() of an int64 sum, difference, product, power, negative or absolute value wraps around.
/// False for other types, and for operations that never wrap or are defined on bits.
bool wraps_around(operation op, element_type compute, std::span<const reference_value> operands);

}  // namespace sinter::inline v0
