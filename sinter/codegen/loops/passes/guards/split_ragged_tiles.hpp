#pragma once
// A pass over the loop IR: whole tiles apart from ragged ones.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Makes the loads of a thread twice: first for threads that lie inside the array with all that they touch,
/// without guards, so that nothing stands between one load and the next; then guarded. Takes trees whose
/// loads stand side by side (see hoist_loads()), and finds the condition from the guards, the loads and the
/// stores: each asks whether a position that moves with loops lies below an end. A tree with other guards is
/// left as it is, and so are threads of one position and tiles that pass through shared memory.
void split_ragged_tiles(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
