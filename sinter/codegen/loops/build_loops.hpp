#pragma once
// From a kernel's description to loops: the tree that the passes take. One builder for each way of walking
// the space; what they share is in kernel_builder.hpp.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/loop_ir.hpp>

namespace sinter::codegen {

/// Pointwise kernels for the CPU: what runs for one tile.
void build_cpu_elements(const kernel_description& described, loop_tree& tree);

/// Pointwise kernels for NVIDIA GPUs that walk consecutive elements of the whole space: what a thread runs.
void build_cuda_flat(const kernel_description& described, loop_tree& tree);
/// Those that walk tiles of axis 0 by axis 1, in rows or with transposed operands.
void build_cuda_tiles(const kernel_description& described, loop_tree& tree);

}  // namespace sinter::codegen
