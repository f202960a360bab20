#pragma once
// Vectors of the CPU: how many lanes they have.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Gives loops over lanes the step of their vectors: as many lanes as a cache line has elements of the widest
/// type in the loop, which is one register of the widest processors and several of others. Loops that have no
/// vectors are left to the compiler: those that call users' functions, compute with complex numbers, or do
/// more than evaluate, combine and store. A loop over one lane is serial. Arrays of values are aligned to a
/// cache line.
void choose_vectors(const kernel_description& kernel, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
