#pragma once
// What every loop tree has to be, whichever pass left it.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// What is wrong with a tree, as a sentence; empty if nothing is:
/// - every name is declared in front of its use, in a scope around it, and no name twice in one scope;
/// - every field of the argument block that a tree names is one of the kernel's (list_arguments());
/// - no barrier stands in a guard, where some threads of a block may not reach it;
/// - an instruction that is evaluated has as many operands as it takes;
/// - subscripts and lanes stay inside what is declared (verify_bounds.hpp);
/// - threads meet at barriers, and wait for each other where they share memory (verify_threads.hpp).
std::string fault_of(const kernel_description& kernel, const loop_tree& tree);

}  // namespace sinter::inline v0::codegen
