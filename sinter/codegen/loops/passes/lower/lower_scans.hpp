#pragma once
// A pass over the loop IR: how threads scan the elements of a chunk together.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Puts statements in place of each `scan` of GPU threads: the elements of a chunk lie in the scan's own
/// array, v, and become what is combined up to each of them; `carry` goes on from one chunk to the next.
/// Orders depend on the schedule alone: lanes of a thread, threads of a warp, warps, steps.
void lower_scans(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
