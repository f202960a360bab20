#include <fmt/format.h>

#include <array>
#include <atomic>

#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

struct alignas(64) totals {
  std::atomic<std::int64_t> in_use{0}, peak{0}, waiting{0};
  std::atomic<std::size_t> allocations{0};

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

/// Of a device that exists.
totals& totals_of(device where) noexcept {
  static constinit std::array<totals, max_devices + 1> all{};
  return all[where.is_cpu() ? 0 : static_cast<std::size_t>(where.index()) + 1];
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
  totals& all = totals_of(where);
  all.allocations.fetch_add(1, relaxed);
  all.add(static_cast<std::int64_t>(bytes));
}

void count_return(device where, std::size_t bytes) noexcept {
  totals_of(where).add(-static_cast<std::int64_t>(bytes));
}

void count_waiting(device where, std::int64_t bytes) noexcept {
  totals_of(where).waiting.fetch_add(bytes, relaxed);
}

std::int64_t local_count::flush(std::int64_t bytes) noexcept {
  totals_of(device::cpu()).add(bytes);
  return 0;
}

memory_count counted_memory(device where, std::int64_t local_in_use, std::size_t local_allocations) {
  static_cast<void>(table_index(where));  // throws for what is no device
  totals& all = totals_of(where);
  const std::int64_t in_use = all.in_use.load(relaxed) + local_in_use;
  all.raise_peak(in_use);
  return {in_use, all.peak.load(relaxed), all.waiting.load(relaxed),
          all.allocations.load(relaxed) + local_allocations};
}

}  // namespace sinter::inline v0::runtime
