#pragma once
// Two passes over the loop IR: where a target keeps what later phases need of a row.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Each thread keeps its part of a row: for GPUs.
void place_resident_in_registers(const kernel_description& kernel, loop_tree& tree);
/// A thread keeps whole rows, in a buffer for the longest row that a schedule keeps resident: for the CPU.
void place_resident_on_stack(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
