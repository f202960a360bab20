#pragma once
// A kernel as Sinter would run it, without Sinter's calls: recorded with the run-time builder, compiled once,
// and launched with an argument block that is ready. The difference to a call is the call's own cost.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <span>
#include <string>
#include <vector>

namespace sinter_bench {

class bare_kernel {
 public:
  /// For a function of contiguous arrays with one result; throws sinter::error if it takes more than one
  /// kernel.
  bare_kernel(const sinter::graph& recorded, std::span<const sinter::runtime::operand> operands,
              const sinter::runtime::operand& result);

  /// cuLaunchKernel, on the default stream unless another is given, or a call of the host function: nothing
  /// else.
  void launch(sinter::runtime::CUstream on = nullptr) {
    if (cpu_ != nullptr)
      cpu_(block_.data(), 0, tiles_);
    else
      driver_->cuLaunchKernel(function_, grid_, 1, 1, threads_along_, threads_across_, 1, shared_bytes_, on,
                              arguments_, nullptr);
  }
  std::size_t argument_bytes() const { return block_.size() * sizeof(block_[0]); }
  const sinter::kernel_text& text() const { return text_; }

 private:
  sinter::kernel_text text_;
  sinter::object_code code_;
  std::vector<std::uint64_t> block_;
  sinter::cpu_kernel cpu_ = nullptr;
  const sinter::runtime::driver_api* driver_ = nullptr;
  sinter::runtime::CUfunction function_ = nullptr;
  long long tiles_ = 0;
  unsigned grid_ = 1, threads_along_ = 1, threads_across_ = 1, shared_bytes_ = 0;
  void* arguments_[1] = {};
};

/// where(x > 0, x * y + 1, y - x): the five operations of the workload call_overhead_5ops.
sinter::graph five_operations();
/// Begins with r = x and applies r * 0.5 + 0.25 `steps` times.
sinter::graph polynomial(int steps);

}  // namespace sinter_bench
