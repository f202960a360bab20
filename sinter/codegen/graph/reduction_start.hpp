#pragma once
// What a reduction begins with.

#include <sinter/codegen/graph/operation.hpp>

#include <cstdint>

namespace sinter {

/// Bits of the element, of a reduction's or scan's operand type, that changes nothing it is combined with.
std::uint64_t start_bits(operation op, element_type type);

}  // namespace sinter
