#pragma once
// Checks before a call that weak integers which the host can compute fit the types to which they are
// converted.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Throws type_error if a node of the graph's derived_limits does not fit its type. Skips nodes that depend
/// on more than literals and scalars: their conversion wraps.
void check_derived_limits(const graph& recorded, std::span<const std::uint64_t> scalars);

}  // namespace sinter::inline v0
