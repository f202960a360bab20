#pragma once
// Rows of reductions that chunks do not divide.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Writes loops over chunks twice, where the registers allow it: one for the chunks that lie in the row
/// whole, without tests of each step and lane, and after it what is left of the row, with them. Threads past
/// the end of axis 0 whose loads do not move along it load what the threads before them do, without a test.
void split_ragged_chunks(const kernel_description& kernel, loop_tree& tree);

/// Whether a chunk of columns loads the same for all lanes, and only to add it to their sums.
bool serves_all_lanes(const kernel_description& kernel, const loop_tree& tree, statement_id chunk);

}  // namespace sinter::inline v0::codegen
