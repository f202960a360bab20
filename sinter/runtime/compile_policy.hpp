#pragma once
// What a call does whose kernel is not there yet.

#include <atomic>
#include <cstdint>

namespace sinter {

enum class compile_policy : std::uint8_t {
  optimised,  ///< waits for the optimised kernel
  /// Runs at once by a kernel that was compiled quickly, with the same bits as result
  /// (of a NaN, that it is one); the optimised one is made beside it and serves later calls. Quick kernels
  /// are kept in no cache. prepare(), and work captured into a CUDA graph, use optimised kernels alone.
  quick_first,
};

/// For all calls from now on. At first what $SINTER_COMPILE says: "quick" is quick_first.
void set_compile_policy(compile_policy policy);
compile_policy current_compile_policy();

namespace runtime {

/// Counts how often an optimised kernel has come for a quick one. Threads that find it changed forget the
/// plans that they made with quick kernels.
extern std::atomic<std::uint32_t> quick_kernels_replaced;

}  // namespace runtime
}  // namespace sinter
