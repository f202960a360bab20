#pragma once
// The text of kernels for NVIDIA GPUs: CUDA C++.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// The whole text of a kernel from its loops, as all passes have left them.
std::string emit_cuda(const kernel_description& kernel, const loop_tree& loops, const std::string& entry);

}  // namespace sinter::inline v0::codegen
