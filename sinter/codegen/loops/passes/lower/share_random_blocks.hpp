#pragma once
// A pass over the loop IR of GPUs: random numbers of neighbouring lanes.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Makes two loops of a pointwise kernel's loop over the lanes of a thread's vector where lanes draw random
/// words: one for vectors that begin at a multiple of their lanes, and one for others. The former's positions
/// are an "or" of the first one and the lane, so that the compiler sees which lanes draw from one block.
void share_random_blocks(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
