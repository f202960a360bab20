#pragma once
// Rows that registers do not hold: their further steps lie in shared memory.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Gives resident buffers shared memory for the schedule's `shared_steps` and leaves them room for its
/// `steps`. The loop over the steps of a chunk becomes two. In the second one values pass through registers
/// that live for one step; reads of whole vectors are copied to shared memory before the row's first phase,
/// without passing through registers at all.
void spill_to_shared(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
