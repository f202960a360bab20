#pragma once
// Where a target keeps what later phases need of a row.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Gives resident buffers registers of a GPU's threads, or a stack of the CPU with room for the longest row
/// of which schedules keep so many bytes an element.
void place_resident(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
