#pragma once
// One call of a sequence: its arguments, its plan, and the argument blocks of its kernels.

#include <sinter/runtime/dispatch/aliasing/copied_call.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/order/index_faults.hpp>
#include <sinter/runtime/order/stream_work.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// An owner of the memory of GPU arrays, for as long as the arrays are a step's.
class kept_memory {
 public:
  kept_memory() = default;
  explicit kept_memory(const call_request& of);
  kept_memory(kept_memory&& other) noexcept = default;
  kept_memory& operator=(kept_memory&& other) noexcept {
    records_.swap(other.records_);
    return *this;
  }
  ~kept_memory();

 private:
  std::vector<allocation_record*> records_;
};

/// A launch of a step. The block is complete: addresses and scalars are in it.
struct step_launch {
  const planned_launch* planned = nullptr;
  std::vector<std::uint64_t> block;
  bool is_skipped = false;  ///< it has no elements, or copies an array to where it is
  bool is_changed = true;   ///< the block is another one than what the replay has
};

/// What else a change of arguments changes.
struct change_effects {
  bool on_memory = false;    ///< the step uses other memory
  bool on_launches = false;  ///< a launch is skipped that was not before, or the other way round
};

class recorded_step {
 public:
  /// Compiles, loads and allocates what the call needs. Throws shape_error for results that would need
  /// temporaries.
  recorded_step(const call_request& asked, std::size_t number);
  recorded_step(const recorded_step&) = delete;
  recorded_step& operator=(const recorded_step&) = delete;

  /// Other arguments of the same layouts. An exception leaves the step as it was.
  change_effects change(std::span<const operand> operands, std::span<const scalar> scalars);
  /// Where its kernels report indices out of range. An exception leaves the step as it was.
  void report_to(stream_faults::target faults);

  const function& called() const { return *asked_->called(); }
  call_request request() const { return asked_->request(); }
  std::vector<step_launch>& launches() { return launches_; }
  const std::vector<step_launch>& launches() const { return launches_; }
  std::byte* workspace() const { return static_cast<std::byte*>(workspace_.data()); }
  CUcontext context() const { return prepared_.context(); }
  const std::shared_ptr<const index_sites>& sites() const { return prepared_.sites(); }
  /// Of the work on one thread of the CPU.
  double nanoseconds() const;
  void add_uses(std::vector<memory_use>& to) const;
  /// Whether one of two steps writes what the other uses.
  bool shares_memory_with(const recorded_step& other) const;

  /// Runs it on the CPU, on the calling thread alone if that is wanted. Indices out of range are reported to
  /// fault().
  void run_on_cpu(bool alone);
  const index_fault& fault() const { return fault_; }

 private:
  std::string describe() const;
  void check_arguments(const call_request& wanted) const;
  void check_operand(const operand& wanted, const operand& known, std::size_t index) const;
  void check_directly_written(const call_request& wanted) const;
  std::vector<std::vector<std::uint64_t>> make_blocks(const call_request& of,
                                                      stream_faults::target faults) const;
  bool take_blocks(std::vector<std::vector<std::uint64_t>>&& blocks) noexcept;
  bool is_skipped(const call_request& request, const planned_launch& launch) const;

  std::size_t number_;
  std::unique_ptr<const copied_call> asked_;
  kept_memory kept_;
  plan prepared_;
  buffer workspace_;
  stream_faults::target faults_;
  std::vector<step_launch> launches_;
  index_fault fault_;  ///< of a run on the CPU
};

}  // namespace sinter::inline v0::runtime
