#pragma once
// Start values of reductions and scans.

#include <sinter/codegen/graph/operation.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The bits of the start value, in the operand's type: it changes no element that it is combined with.
std::uint64_t start_bits(operation op, element_type type);

}  // namespace sinter::inline v0
