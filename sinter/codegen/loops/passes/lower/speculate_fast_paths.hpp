#pragma once
// A pass over the loop IR: fast paths of functions.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Evaluates elements by the fast paths of functions first, for all elements of a loop at once, and again
/// without them where an argument fails its test: the same bits, and no branch between elements. Takes loops
/// that are `speculative`; leaves a `speculate` in place of those that call enough such functions. Combines
/// run once: they move to a loop after the speculation and read the elements' values from temporaries.
void speculate_fast_paths(const kernel_description& kernel, loop_tree& tree);
/// The same where a loop of a pointwise kernel, whose threads have several elements, calls at least
/// `min_fast_paths` such functions: for GPUs, on which other threads hide the branches of fewer.
void speculate_several_fast_paths(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
