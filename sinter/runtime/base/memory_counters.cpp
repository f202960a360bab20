#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::int64_t step = 64 << 10;
constexpr auto relaxed = std::memory_order_relaxed;

struct totals {
  std::atomic<std::int64_t> in_use{0}, peak{0}, waiting{0};
  std::atomic<std::uint64_t> allocations{0};

  void raise_peak(std::int64_t now) noexcept {
    std::int64_t known = peak.load(relaxed);
    while (now > known && !peak.compare_exchange_weak(known, now, relaxed)) {
    }
  }
  void add(std::int64_t bytes) noexcept {
    const std::int64_t now = in_use.fetch_add(bytes, relaxed) + bytes;
    if (bytes > 0) raise_peak(now);
  }
};

/// What one thread at a time writes: loads and stores, no atomic addition. What a thread has counted stays
/// when it ends, and the next one counts on.
struct cell {
  std::atomic<std::int64_t> bytes{0};
  std::atomic<std::uint64_t> allocations{0};
};
struct alignas(64) thread_cells {
  std::atomic<bool> taken{false};
  std::array<cell, 9> of_devices{};  ///< the CPU's and eight GPUs'; others count in the totals
};

constinit std::array<totals, max_devices + 1> all_totals{};
constinit std::array<thread_cells, 256> all_cells{};

/// A thread's cells, until it ends; none if more threads than there are cells count.
class claimed_cells {
 public:
  claimed_cells() noexcept {
    for (thread_cells& each : all_cells) {
      if (each.taken.load(relaxed) || each.taken.exchange(true, std::memory_order_acquire)) continue;
      cells_ = &each;
      return;
    }
  }
  claimed_cells(const claimed_cells&) = delete;
  claimed_cells& operator=(const claimed_cells&) = delete;
  ~claimed_cells() {
    if (cells_ != nullptr) cells_->taken.store(false, std::memory_order_release);
  }
  thread_cells* cells() const { return cells_; }

 private:
  thread_cells* cells_ = nullptr;
};

cell* cell_of_thread(std::size_t index) noexcept {
  try {
    thread_cells* const mine = thread_memory<claimed_cells>::get().cells();
    return mine != nullptr && index < mine->of_devices.size() ? &mine->of_devices[index] : nullptr;
  } catch (...) {
    return nullptr;  // no memory for a thread's own: it counts in the totals
  }
}

void count(device where, std::int64_t bytes, std::uint64_t allocations) noexcept {
  const std::size_t index = where.is_cpu() ? 0 : static_cast<std::size_t>(where.index()) + 1;
  totals& all = all_totals[index];
  cell* const mine = cell_of_thread(index);
  if (mine == nullptr) {
    all.allocations.fetch_add(allocations, relaxed);
    return all.add(bytes);
  }
  mine->allocations.store(mine->allocations.load(relaxed) + allocations, relaxed);
  std::int64_t pending = mine->bytes.load(relaxed) + bytes;
  if (pending >= step || pending <= -step) {
    all.add(pending);
    pending = 0;
  }
  mine->bytes.store(pending, relaxed);
}

std::size_t not_negative(std::int64_t bytes) {
  return static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
}

}  // namespace

std::size_t table_index(device where) {
  if (where.is_cpu()) return 0;
  const int index = where.index();
  if (index < 0 || static_cast<std::size_t>(index) >= max_devices)
    throw device_error(fmt::format("there is no CUDA device {}", index));
  return static_cast<std::size_t>(index) + 1;
}

void count_allocation(device where, std::size_t bytes) noexcept {
  count(where, static_cast<std::int64_t>(bytes), 1);
}
void count_return(device where, std::size_t bytes) noexcept {
  count(where, -static_cast<std::int64_t>(bytes), 0);
}
void count_waiting(device where, std::int64_t bytes) noexcept {
  all_totals[where.is_cpu() ? 0 : static_cast<std::size_t>(where.index()) + 1].waiting.fetch_add(bytes,
                                                                                                 relaxed);
}

memory_count counted_memory(device where) {
  const std::size_t index = table_index(where);
  totals& all = all_totals[index];
  std::int64_t in_use = all.in_use.load(relaxed);
  std::uint64_t allocations = all.allocations.load(relaxed);
  if (index < all_cells[0].of_devices.size())
    for (const thread_cells& each : all_cells) {
      in_use += each.of_devices[index].bytes.load(relaxed);
      allocations += each.of_devices[index].allocations.load(relaxed);
    }
  all.raise_peak(in_use);
  return {not_negative(in_use), not_negative(all.peak.load(relaxed)), not_negative(all.waiting.load(relaxed)),
          static_cast<std::size_t>(allocations)};
}

}  // namespace sinter::inline v0::runtime
