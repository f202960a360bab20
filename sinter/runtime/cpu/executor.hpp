#pragma once
// Runs compiled CPU kernels, and the CPU's other parallel work.

#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/target/cpu_entry.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sinter::inline v0::runtime {

// All of it runs on the threads of the environment that the caller is in, if that has some; else in the
// caller's oneTBB arena ($SINTER_THREADS, if set, makes an arena of that size).

/// How a kernel's tiles are divided among threads.
struct cpu_division {
  double nanoseconds =
      0;               ///< estimate of the whole work on one thread; decides if there is no number of tasks
  unsigned tasks = 0;  ///< schedule::tasks
};

/// Runs the tiles [0, tiles) of a kernel in contiguous ranges of about equal length. Work too small to
/// distribute runs on the calling thread without a scheduler.
void run_cpu_kernel(cpu_kernel kernel, const void* arguments, std::int64_t tiles, cpu_division how);

/// Runs work that divides itself by the two functions below.
void run_in_arena(const std::function<void()>& work);
/// Two parts at once where they are oneTBB's; else one after the other, because threads of an environment
/// take no parts of parts.
void run_both(const std::function<void()>& first, const std::function<void()>& second);
/// Calls range(begin, end) for ranges that make up [0, count), each of `grain` or more.
void run_ranges(std::size_t count, std::size_t grain,
                const std::function<void(std::size_t, std::size_t)>& range);

/// Runs work(0, alone), …, work(count - 1, alone), which are independent, on the same threads: side by side
/// if the estimate of all of it is worth that. `alone`: one of them should not divide itself further, because
/// others keep all threads busy, or because threads of an environment take no parts of parts.
void run_beside(unsigned count, double nanoseconds, const std::function<void(unsigned, bool alone)>& work);

/// Copies memory that does not overlap, in parallel if that is faster.
void host_copy(void* to, const void* from, std::size_t bytes);

}  // namespace sinter::inline v0::runtime
