#pragma once
// What a call does if its kernel is not compiled yet.

#include <atomic>
#include <cstdint>

namespace sinter {

enum class compile_policy : std::uint8_t {
  optimised,  ///< waits for the optimised kernel
  /// Runs at once with a kernel that was compiled quickly. Its results have the same bits, except for the
  /// bits of a NaN. The optimised kernel is compiled in the background and serves later calls. No cache
  /// stores quick kernels. prepare(), and work captured into a CUDA graph, use optimised kernels only.
  quick_first,
};

/// Sets the policy for all later calls. The initial policy comes from $SINTER_COMPILE: "quick" is
/// quick_first.
void set_compile_policy(compile_policy policy);
compile_policy current_compile_policy();

namespace runtime {

/// Counts the quick kernels that an optimised one has replaced. Threads that see the count change drop the
/// plans that use quick kernels.
extern std::atomic<std::uint32_t> quick_kernels_replaced;

}  // namespace runtime
}  // namespace sinter
