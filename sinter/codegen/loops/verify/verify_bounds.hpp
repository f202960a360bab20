#pragma once
// Whether subscripts stay inside what is declared.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// A subscript or a lane that a tree lets reach beyond the declared extent, as a sentence; empty if there is
/// none. What is known of an index are the bounds of loops, the threads of the launch, constants, and what
/// the guards around it say. Indices of which less is known are taken as right.
std::string fault_of_bounds(const kernel_description& kernel, const loop_tree& tree);

}  // namespace sinter::inline v0::codegen
