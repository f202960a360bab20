#pragma once
// Calls that stand for those of a function whose extents are not known.

#include <sinter/codegen/kernel/recorded_call.hpp>

#include <vector>

namespace sinter {

/// Calls with fresh results on row-major arrays of their own, aligned as buffers are: short, usual and long
/// rows, few and many of them. Operands of lower rank have the last extents of the others. Some may not fit
/// the function; lowering refuses those.
std::vector<recorded_call> usual_calls(const graph& recorded);

}  // namespace sinter
