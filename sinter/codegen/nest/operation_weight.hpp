#pragma once
// Rough costs of operations, in units of an addition.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The weight of one operation: 1 for an addition, 32 for a sine, 0 for nodes that compute nothing.
std::uint32_t weight_of(const node& at);

}  // namespace sinter::inline v0
