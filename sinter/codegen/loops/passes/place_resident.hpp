#pragma once
// Where GPUs keep what later phases need of a row: the first steps of a thread in registers, further ones in
// shared memory.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Gives resident buffers registers for the schedule's `steps`, and shared memory for its `shared_steps`. The
/// loop over the steps of a chunk becomes two then. In the second one values pass through registers that live
/// for one step; reads of whole vectors are copied to shared memory before the row's first phase, without
/// passing through registers at all. On the CPU the buffers lie on the stack.
void place_resident(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
