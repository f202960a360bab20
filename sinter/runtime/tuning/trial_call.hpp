#pragma once
// A call that is run again and again under different schedules, into results of its own.

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// The operands of the call, and scratch memory with the layout of its results, twice: for what the default
/// schedules compute, and for trials. The request, whose `on` is set, and the stream outlive it.
class trial_call {
 public:
  /// Throws what a call throws; out_of_memory if there is no room for the scratch memory.
  explicit trial_call(const call_request& request);
  trial_call(const trial_call&) = delete;
  trial_call& operator=(const trial_call&) = delete;

  /// Lowers, compiles and loads the call under these schedules. Safe from several threads at once.
  std::unique_ptr<plan> prepare(const call_schedules& tried) const;
  /// Runs the call into the scratch memory of trials, or into that of the default.
  enum class results { of_trial, of_default };
  void run(const plan& prepared, results into);
  /// Fills the scratch memory of trials, so that elements that a trial does not write differ.
  void poison();

  /// Bytes from begin to end of each result; gaps between elements are filled alike.
  struct scratch {
    element_type type{};
    std::byte* of_default = nullptr;
    std::byte* of_trial = nullptr;
    std::size_t bytes = 0;
  };
  std::span<const scratch> scratches() const { return scratches_; }
  const call_request& request() const { return request_; }
  /// All memory that a run touches.
  struct range {
    const std::byte* data;
    std::size_t bytes;
  };
  std::vector<range> touched() const;

 private:
  void add_result(const plan& prepared, std::size_t number);
  void fill(std::byte* data, std::size_t bytes) const;

  call_request request_;  ///< into scratch memory
  thread_state state_;
  std::vector<std::int64_t> layouts_;
  std::vector<buffer> memory_;
  std::vector<scratch> scratches_;
  std::vector<operand> into_default_, into_trial_;
};

}  // namespace sinter::inline v0::runtime
