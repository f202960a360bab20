#pragma once
// What tells plans that a kernel compiled in the background is ready.

#include <atomic>
#include <cstdint>

namespace sinter::inline v0::runtime {

/// Counts the quick kernels that an optimised one has replaced. Threads that see the count change drop the
/// plans that use quick kernels.
extern std::atomic<std::uint32_t> quick_kernels_replaced;

}  // namespace sinter::inline v0::runtime
