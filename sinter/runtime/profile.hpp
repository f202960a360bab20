#pragma once
// What the calls of each function cost: sinter/profile.hpp says what is counted, and how.
//
// Threads: any thread may call these at any time.
// Throws: std::bad_alloc; write_trace() device_error for a file that cannot be written.
// After a failure: a file has its old content. What was collected remains, but for calls on GPUs whose times
// were being read.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0 {

/// Which calls on a GPU are timed, by two events that cost a call several microseconds of host time. Calls on
/// the CPU are all timed. All calls are counted.
enum class timed_calls : std::uint8_t {
  some,  ///< of each function and thread the first 32, then one of 16, drawn
  all,   ///< so that a trace shows each
};

/// Begins or ends the collection. What was collected is kept. What `calls` says holds until the next call of
/// this; all are timed where SINTER_PROFILE asks for a trace.
SINTER_API void set_profiling(bool on, timed_calls calls = timed_calls::some);
/// Whether calls are counted: what set_profiling() said last, and at first what SINTER_PROFILE asks for.
SINTER_API bool is_profiling();

/// What the calls of one function on one device have cost together.
struct function_profile {
  std::string function;  ///< name and place: "softmax at kernel.cpp:17"
  device where{};
  std::uint64_t calls = 0;
  std::uint64_t compiles = 0;  ///< kernels that no layer of the cache had, also those that prepare() compiled
  std::uint64_t kernels = 0;   ///< launched; rows that the runtime sorts count as one
  std::uint64_t bytes = 0;     ///< least memory traffic: what each kernel reads and writes, once
  double seconds = 0;          ///< of the kernels, on the device; where not all are timed, an estimate
  double compile_seconds = 0;  ///< of the compiles; those of several threads are added
  std::uint64_t timed = 0;     ///< calls whose time was taken
};

/// What was collected since the start or forget_profile(), most time first. Waits for the calls on GPUs that
/// it counts.
SINTER_API std::vector<function_profile> profile();

/// Drops what was collected, also for the trace. Waits for calls on GPUs.
SINTER_API void forget_profile();

/// A table of at most 110 columns, with a line for each row and a newline at its end. Long names are cut in
/// the middle; "~" stands before times that are estimates.
SINTER_API std::string to_string(std::span<const function_profile> rows);

/// Writes the calls as trace events (JSON) to a file, which is replaced: an event for each call that was
/// timed, in a row for each thread on the CPU and each stream of a GPU. The first million calls have events;
/// the trace says how many were left out. Waits for calls on GPUs.
SINTER_API void write_trace(const std::string& path);

}  // namespace sinter::inline v0
