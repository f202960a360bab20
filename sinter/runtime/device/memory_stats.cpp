#include <algorithm>
#include <cstdint>

#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/memory_stats.hpp>
#include <sinter/runtime/order/returned_memory.hpp>

namespace sinter::inline v0 {

namespace {

/// While other threads allocate, counts may be read between two of theirs.
std::size_t not_negative(std::int64_t bytes) {
  return static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
}

}  // namespace

memory_statistics memory_stats(device where) {
  const runtime::host_count local = where.is_cpu() ? runtime::host_counted() : runtime::host_count();
  const runtime::memory_count counted = runtime::counted_memory(where, local.in_use, local.allocations);
  memory_statistics now{.in_use = not_negative(counted.in_use),
                        .peak = not_negative(counted.peak),
                        .waiting = not_negative(counted.waiting),
                        .allocations = counted.allocations};
  if (where.is_cpu()) {
    now.retained = runtime::host_kept_bytes();
    return now;
  }
  const runtime::pool_state pool = runtime::cuda_pool_state(where.index());
  now.retained = pool.reserved - pool.used;
  now.reserved = pool.reserved;
  now.peak_reserved = pool.peak_reserved;
  return now;
}

std::size_t trim_memory(device where) {
  if (where.is_cpu()) return runtime::host_trim();
  runtime::give_back_waiting();
  return runtime::cuda_trim(where.index());
}

}  // namespace sinter::inline v0
