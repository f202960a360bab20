#pragma once
// Updates of an array with few elements go to a copy of its own for each task, or each block of a GPU, which
// is combined with the array at the end: threads do not wait for each other's cache lines.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// CPU, where the schedule says private_updates: declares a copy of so many elements, and one more for lanes
/// without an update; updates that; and combines its elements with those of the array behind all loops.
void privatise_updates_on_stack(const kernel_description& kernel, loop_tree& tree);
/// GPUs: the same of a copy in shared memory, with a loop over the tiles of the block around what it does for
/// one. Passes that divide what a thread does for a tile come before it.
void privatise_updates_in_shared(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
