#pragma once
// Rough costs of operations, in units of an addition.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The weight of one operation: 1 for an addition, 32 for a sine, 0 for nodes that compute nothing.
std::uint32_t weight_of(operation op);
inline std::uint32_t weight_of(const node& at) { return weight_of(at.op); }

/// Whether a nest has so many reductions that its text is made for a quick compile: see many_reductions.
bool has_many_reductions(const nest& body);

}  // namespace sinter::inline v0
