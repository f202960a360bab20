#pragma once
// Counts of memory in use, for memory_stats().

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

/// Allocations of the CPU that are counted under a lock which is held anyway: threads with different locks
/// share no cache line. What is in use moves to the device's count in steps.
class local_count {
 public:
  void add(std::size_t bytes) noexcept {
    ++allocations_;
    move(static_cast<std::int64_t>(bytes));
  }
  void subtract(std::size_t bytes) noexcept { move(-static_cast<std::int64_t>(bytes)); }
  /// For an allocation that failed after all.
  void cancel(std::size_t bytes) noexcept {
    --allocations_;
    subtract(bytes);
  }
  std::int64_t in_use() const { return in_use_; }
  std::size_t allocations() const { return allocations_; }

 private:
  static constexpr std::int64_t step = 64 << 10;
  void move(std::int64_t bytes) noexcept {
    in_use_ += bytes;
    if (in_use_ >= step || in_use_ <= -step) in_use_ = flush(in_use_);
  }
  /// Adds to the CPU's count, and returns 0.
  static std::int64_t flush(std::int64_t bytes) noexcept;

  std::int64_t in_use_ = 0;  ///< negative where memory of an earlier step goes back
  std::size_t allocations_ = 0;
};

struct memory_count {
  std::int64_t in_use = 0, peak = 0, waiting = 0;
  std::size_t allocations = 0;
};
/// With what local counts have not moved yet.
memory_count counted_memory(device where, std::int64_t local_in_use, std::size_t local_allocations);

}  // namespace sinter::inline v0::runtime
