#pragma once
// Rows of GPUs that are too short for a block, moved together.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Where the schedule says `staged`, the rows of a block lie side by side in memory. Its threads bring all of
/// them to shared memory first, whatever their length is, and take the results back at the end. Rows begin in
/// shared memory; steps do not ask for the row's end, which is the schedule's.
void stage_rows(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
