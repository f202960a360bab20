#pragma once
// Where a target keeps what later phases need of a row.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Places resident buffers: in registers of a GPU's threads, or in a stack buffer on the CPU, sized for the
/// longest row that a schedule keeps resident.
void place_resident(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
