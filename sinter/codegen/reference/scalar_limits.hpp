#pragma once
// Weak integers that the host can compute are looked at before a call: whether they fit the types that they
// were used as.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <span>

namespace sinter {

/// Throws type_error if a node of the graph's derived_limits does not fit its type. Nodes that depend on more
/// than literals and scalars are passed over: their conversion wraps.
void check_derived_limits(const graph& recorded, std::span<const std::uint64_t> scalars);

}  // namespace sinter
