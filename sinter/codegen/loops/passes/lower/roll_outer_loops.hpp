#pragma once
// Loops of the CPU that are not worth unrolling.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Tells the compiler to leave loops as they are that have other loops in them and no constant number of
/// iterations. It would unroll next to none of them, but weighs for each what all of its body would cost: a
/// tenth of the compile time of long kernels.
void roll_outer_loops(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
