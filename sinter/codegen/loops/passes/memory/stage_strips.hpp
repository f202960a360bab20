#pragma once
// Strips of short rows on the CPU: what a strip reads and stores lies on the stack, lane by lane.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Packs the operands of a strip (schedule::staged) before its first loop, and unpacks its results after the
/// last one, whatever their strides are. Lanes beyond the end of a strip repeat its last column, so that all
/// loops over lanes are vectors.
void stage_strips(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
