#pragma once
// Whether the texts of a call compile for GPUs. Needs NVRTC, no GPU.

#include "sweep/sweep.hpp"
#include "sweep/sweep_layout.hpp"

#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

namespace sinter::test {

/// Compiles every stage of a lowered call for compute capability 9.0, and adds NVRTC's errors to `failures`.
inline void check_compiles(const std::string& name, const lowered_call& lowered, failure_list& failures) {
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const kernel_text text = emit(lowered.stages[i]);
    try {
      if (runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::cubin})
              .code.empty())
        failures.add(name, "stage " + std::to_string(i) + ": no code");
    } catch (const std::exception& failure) {
      failures.add(name, "stage " + std::to_string(i) + ": " + failure.what());
    }
  }
}

}  // namespace sinter::test
