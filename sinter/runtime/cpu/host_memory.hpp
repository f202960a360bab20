#pragma once
// The CPU's own memory for buffers: what is freed is kept, within bounds, so that the next result of the same
// size costs no page faults (they cost more than most kernels).

#include <cstddef>

namespace sinter::runtime {

/// At least `bytes` bytes aligned to 256, uninitialised; from 2 MiB on at a huge page. Throws out_of_memory.
void* host_allocate(std::size_t bytes);
/// Gives back what host_allocate(bytes) gave, for reuse.
void host_free(void* data, std::size_t bytes) noexcept;

/// Bytes kept for reuse. The bound: an eighth of the physical memory for blocks of 2 MiB and more, and about
/// 2 MiB of each smaller size.
std::size_t host_kept_bytes() noexcept;
/// Gives all that is kept back to the system.
void host_trim() noexcept;

}  // namespace sinter::runtime
