#pragma once
// Vectors of the CPU in kernels that reduce or scan.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// On the CPU a chunk is a group of lanes, and only those inside the row are evaluated. Makes vectors of
/// whole groups. Along rows they get a loop of their own; where all chunks have equally many lanes, as of
/// columns and of pieces of results, a guard in each chunk says which it is.
void vectorise_lanes(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
