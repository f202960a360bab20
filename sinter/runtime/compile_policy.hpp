#pragma once
// What a call does if its kernel is not compiled yet.
//
// Threads: any thread may call these at any time.
// Throws: nothing.

#include <sinter/codegen/base/export.hpp>

#include <cstdint>

namespace sinter::inline v0 {

enum class compile_policy : std::uint8_t {
  optimised,  ///< waits for the optimised kernel
  /// Runs at once with a kernel that was compiled quickly. Its results have the same bits, except for the
  /// bits of a NaN. The optimised kernel is compiled in the background and serves later calls. No cache
  /// stores quick kernels. prepare(), and work captured into a CUDA graph, use optimised kernels only.
  quick_first,
};

/// Sets the policy for all later calls. The initial policy comes from $SINTER_COMPILE: "quick" is
/// quick_first.
SINTER_API void set_compile_policy(compile_policy policy);
/// That of the environment that this thread is in, else the process's.
SINTER_API compile_policy current_compile_policy();

/// How many kernels this process has compiled so far, by all threads. Kernels found in a cache or a pack do
/// not count: a loop during which the number stays compiles nothing.
SINTER_API std::uint64_t compile_count() noexcept;

}  // namespace sinter::inline v0
