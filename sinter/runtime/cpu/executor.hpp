#pragma once
// Runs compiled CPU kernels, and the CPU's other parallel work.

#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/target/cpu_entry.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sinter::inline v0::runtime {

/// Runs the tiles [0, tiles) of a kernel on the threads of the caller's oneTBB arena ($SINTER_THREADS, if
/// set, makes an arena of that size), in contiguous ranges of about equal length. `nanoseconds` estimates the
/// whole work on one thread: work too small to distribute runs on the calling thread without a scheduler.
void run_cpu_kernel(cpu_kernel kernel, const void* arguments, std::int64_t tiles, double nanoseconds);

/// Runs work that divides itself by oneTBB's functions, on the same threads.
void run_in_arena(const std::function<void()>& work);

/// Runs work(0, alone), …, work(count - 1, alone), which are independent, on the same threads: side by side
/// if the estimate of all of it is worth that. `alone`: others keep all threads busy, so that one of them
/// should not divide itself further.
void run_beside(unsigned count, double nanoseconds, const std::function<void(unsigned, bool alone)>& work);

/// Copies memory that does not overlap, in parallel if that is faster.
void host_copy(void* to, const void* from, std::size_t bytes);

}  // namespace sinter::inline v0::runtime
