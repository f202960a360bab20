#pragma once
// Counts of memory in use, for memory_stats(). Each thread counts in words of its own, so that threads which
// allocate share no cache line; the totals move in steps of 64 KiB.

#include <sinter/runtime/device.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter::inline v0::runtime {

inline constexpr std::size_t max_devices = 128;
/// The place of a device in tables: 0 for the CPU. Throws device_error for what cannot be a device.
std::size_t table_index(device where);

void count_allocation(device where, std::size_t bytes) noexcept;
void count_return(device where, std::size_t bytes) noexcept;
/// Memory without owners that begins to wait, or does not wait any more (negative).
void count_waiting(device where, std::int64_t bytes) noexcept;

struct memory_count {
  std::size_t in_use = 0, peak = 0, waiting = 0, allocations = 0;
};
memory_count counted_memory(device where);

}  // namespace sinter::inline v0::runtime
