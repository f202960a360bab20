#pragma once
// What operations cost, roughly, in units of an addition.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>

namespace sinter {

/// The weight of one operation: an addition's is 1, a sine's 32; 0 of what computes nothing.
std::uint32_t weight_of(const node& at);

}  // namespace sinter
