#pragma once
// What is needed to compare a call with the device's roofline: the least traffic of its kernels, the time of
// a stream's work, and what a copy of large arrays moves. sinter/benchmark.hpp uses it.
//
//   const call_costs costs = costs_of([&] { f.into(out)(x); });
//   stream_timer timer(costs.on());
//   timer.begin();
//   f.into(out)(x);
//   const double share = costs.bytes / timer.seconds() / copy_bytes_per_second(costs.where);
//
// Threads: any thread may call these at any time; a timer is one thread's.
// Throws: std::bad_alloc, device_error where the driver refuses; copy_bytes_per_second() what a call throws;
// costs_of() what the function throws.
// After a failure: nothing is measured, and the next call measures anew.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace sinter::inline v0 {

/// What calls cost together, but for their time.
struct call_costs {
  std::uint64_t calls = 0;
  std::uint64_t kernels = 0;  ///< launched; rows that the runtime sorts count as one
  std::uint64_t bytes = 0;    ///< least memory traffic: what each kernel reads and writes, once
  device where{};             ///< device of the latest call
  void* native = nullptr;     ///< stream of the latest call (CUstream); nullptr on the CPU

  /// The stream of the latest call, borrowed.
  stream on() const { return stream::from_native(where, native); }
};

namespace detail {
/// Counts the calls of its thread into `costs` as long as it lives.
class SINTER_API cost_scope {
 public:
  explicit cost_scope(call_costs& costs);
  cost_scope(const cost_scope&) = delete;
  cost_scope& operator=(const cost_scope&) = delete;
  ~cost_scope();

 private:
  call_costs* outer_;
};
}  // namespace detail

/// Runs a function, and returns what the calls cost that it makes on this thread. Waits for nothing. As with
/// profile(), calls that are captured into a CUDA graph, calls of a sequence and calls that throw are not
/// counted. Of nested ones the inner one counts.
template <class Run>
call_costs costs_of(Run&& run) {
  call_costs costs;
  const detail::cost_scope counting(costs);
  std::forward<Run>(run)();
  return costs;
}

/// A stopwatch for the work of a stream: by CUDA events on a GPU, by the wall clock on the CPU, whose work
/// is done when a call returns. The stream must outlive it.
class SINTER_API stream_timer {
 public:
  explicit stream_timer(const stream& on);
  stream_timer(const stream_timer&) = delete;
  stream_timer& operator=(const stream_timer&) = delete;
  ~stream_timer();

  /// Starts behind the work that is queued so far.
  void begin();
  /// Waits for the work that was queued since begin(); returns how many seconds it took.
  double seconds();

 private:
  struct clock;
  std::unique_ptr<clock> clock_;
};

/// Bytes per second, read and written, that a copy of large arrays moves on a device: the roofline of work
/// that memory bounds. The first call for a device measures, which takes 256 MB of host memory, or up to an
/// eighth of a GPU's, for less than a second.
SINTER_API double copy_bytes_per_second(device where);

}  // namespace sinter::inline v0
