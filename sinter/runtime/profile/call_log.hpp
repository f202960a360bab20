#pragma once
// What each thread collects of its calls while profiling is on.
//
// A log is written by the thread that has it, and read by any: its guard is held for the few instructions
// that add a call. It outlives its thread, and then serves another one.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/profile.hpp>
#include <sinter/runtime/profile/gpu_spans.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// The function of a call, and its device.
struct observed_function {
  const graph& recorded;
  std::uint64_t number = 0;  ///< unique among functions
  device where{};
};

/// A call in the trace.
struct trace_event {
  const std::string* function = nullptr;  ///< of its log, where it stays
  device where{};
  std::uint32_t row = 0;  ///< the thread's log on the CPU, the stream's timeline on a GPU
  double start = 0;       ///< seconds of the host's steady clock
  double seconds = 0;
  std::uint64_t kernels = 0, bytes = 0;
};

/// The calls of one thread.
class call_log {
 public:
  explicit call_log(std::uint32_t index);
  call_log(const call_log&) = delete;
  call_log& operator=(const call_log&) = delete;

  /// The calling thread's log.
  static call_log& of_thread();
  /// All logs of this process, also of threads that have ended.
  static std::vector<call_log*> all();

  /// The row of a function, made at its first call. For the log's thread.
  std::uint32_t row_of(const observed_function& called);
  /// Name and place of a row's function; stays where it is.
  const std::string& name_of(std::uint32_t row) const { return rows_[row].costs.function; }

  /// Adds a call on the CPU that took from `start` to `end`, in seconds of the host's steady clock.
  void add_call(std::uint32_t row, const launched_work& work, double start, double end);
  /// Adds a call on a GPU, whose time is read when it is over.
  void add_call(std::uint32_t row, const launched_work& work, gpu_span&& span);
  /// Adds a call on a GPU whose time is not taken.
  void add_call(std::uint32_t row, const launched_work& work);
  void add_compile(std::uint32_t row, double seconds);
  /// How the next call of a row on a GPU is timed, where not all are: always, as one that was drawn, or not.
  /// For the log's thread.
  enum class timing : std::uint8_t { always, drawn, none };
  timing draw_timing(std::uint32_t row);
  /// Events for a call on a stream. For the log's thread.
  gpu_span begin_span(const stream_timeline& on, timing how);
  /// Puts the events of a call that failed back.
  void drop_span(gpu_span&& span);

  /// Reads the times of calls on GPUs: of all, which it waits for, or of those that are over.
  void read_spans(bool wait);
  /// Copies of the rows that have something in them, and of the events.
  std::vector<function_profile> rows();
  std::vector<trace_event> events();
  void forget();

  std::uint64_t fork_generation() const { return generation_; }

 private:
  friend class log_registry;
  struct pending_call {
    std::uint32_t row = 0;
    launched_work work;
    gpu_span span;
  };
  struct recent_row {
    std::uint64_t number = 0;  ///< of the function, from 1; 0: none
    device where{};
    std::uint32_t row = 0;
  };
  static constexpr std::size_t recent_rows = 256;

  void append_event(const trace_event& event);

  const std::uint32_t index_;
  const std::uint64_t generation_;  ///< of the process that made it
  bool is_free_ = false;            ///< its thread has ended; with the registry's lock
  // Of the thread that has the log.
  std::array<recent_row, recent_rows> recent_{};
  std::size_t read_at_ = 0;  ///< number of pending calls at which those that are over are read
  std::minstd_rand draws_;   ///< of calls that are timed
  // Rows are appended by that thread, with the lock; their totals are anyone's with the lock.
  std::mutex guard_;
  struct row_of_function {
    function_profile costs;   ///< `seconds` of the calls that were timed, but for drawn ones
    std::uint64_t begun = 0;  ///< calls passed to draw_timing()
    std::uint64_t drawn = 0;  ///< calls that were timed because they were drawn
    double drawn_seconds = 0;
    std::uint64_t untimed = 0;
  };
  std::deque<row_of_function> rows_;
  std::vector<trace_event> events_;
  std::vector<pending_call> pending_;
  gpu_span_maker spans_;
};

/// Counts a kernel that was compiled for a function.
void count_compile(const observed_function& called, double seconds);

/// Calls that no event was kept for, because there were too many.
std::uint64_t left_out_events();
void forget_left_out_events();

}  // namespace sinter::inline v0::runtime
