#pragma once
// The CPU's memory for buffers. Freed blocks are retained, within bounds, so that the next result of the same
// size causes no page faults, which cost more than most kernels.

#include <cstddef>
#include <cstdint>

namespace sinter::inline v0::runtime {

/// At least `bytes` bytes aligned to 256, uninitialised; blocks from 2 MiB on start at a huge page. Throws
/// out_of_memory. Counted for memory_stats().
void* host_allocate(std::size_t bytes);
/// Returns a block from host_allocate(bytes) for reuse.
void host_free(void* data, std::size_t bytes) noexcept;

/// What is not yet in the CPU's counts (memory_counters.hpp).
struct host_count {
  std::int64_t in_use = 0;
  std::size_t allocations = 0;
};
host_count host_counted() noexcept;

/// Bytes retained for reuse. The bound is an eighth of the physical memory for blocks of 2 MiB and more, and
/// about 2 MiB for each smaller size.
std::size_t host_kept_bytes() noexcept;
/// Returns all retained memory to the system, and its size.
std::size_t host_trim() noexcept;

}  // namespace sinter::inline v0::runtime
