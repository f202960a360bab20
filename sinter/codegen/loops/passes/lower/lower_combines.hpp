#pragma once
// A pass over the loop IR: how partial values of reductions become those of rows.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Puts statements in place of each `finish`: lanes of a thread are combined pairwise; on GPUs then threads
/// of a warp by exchange, and what is left of warps, or of a cluster's blocks, through shared memory. The
/// order of combining is decided here and in the loops of a lane, nowhere else.
void lower_combines(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
