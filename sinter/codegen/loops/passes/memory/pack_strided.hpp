#pragma once
// Operands of reductions on the CPU that are strided along the lanes.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Lets whole groups of lanes read strided operands from a buffer on the stack, as vectors, and packs them
/// there first: of rows many groups at once, long before most of them are read, of columns and pieces one.
/// Takes the vector loops that vectorise_lanes() leaves; groups that are not whole read memory
/// themselves.
void pack_strided(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
