#pragma once
// Rows of GPUs whose lengths the lanes of a step divide.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Where the schedule promises `whole_rows`: if a step's first lane lies in its row, all of them do. Loads
/// and stores move whole vectors then, and nothing asks for a lane.
void assume_whole_rows(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
