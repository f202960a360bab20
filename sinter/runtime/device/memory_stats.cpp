#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/memory_stats.hpp>
#include <sinter/runtime/order/returned_memory.hpp>

namespace sinter::inline v0 {

memory_statistics memory_stats(device where) {
  const runtime::memory_count counted = runtime::counted_memory(where);
  memory_statistics now{.in_use = counted.in_use,
                        .peak = counted.peak,
                        .waiting = counted.waiting,
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
