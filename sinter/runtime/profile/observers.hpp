#pragma once
// Who observes calls: a set of bits, which each thread keeps a copy of (thread_notices.hpp).

#include <cstdint>

namespace sinter::inline v0::runtime {

enum observer : std::uint8_t {
  counts_calls = 1,    ///< profiling is on
  names_ranges = 2,    ///< a profiler listens to NVTX
  measures_costs = 4,  ///< some thread is in costs_of()
  times_all = 8,       ///< all calls on GPUs, if they are counted
};

/// The observers now. The first call reads the environment, and tells the log hook of what is wrong there.
std::uint8_t current_observers();
/// Adds or removes the one that counts calls, and the one that times all of them, and tells all threads.
void count_calls(bool on, bool time_all);
/// Adds a thread to those in costs_of(), or removes one, and tells all threads.
void measure_costs(bool on);

}  // namespace sinter::inline v0::runtime
