#pragma once
// Calls that represent those of a function with unknown extents.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>

#include <vector>

namespace sinter::inline v0 {

/// Calls with new results on separate row-major arrays, aligned as buffers are: short, usual and long rows,
/// few and many of them. Operands of lower rank have the last extents of the others. Some calls may not fit
/// the function; lowering rejects those.
std::vector<recorded_call> representative_calls(const graph& recorded);

}  // namespace sinter::inline v0
