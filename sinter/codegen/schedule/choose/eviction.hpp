#pragma once
// Cache hints for what a kernel reads and writes.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter::inline v0 {

/// Sets a schedule's cache hints for a nest with this much traffic: `reads` on a GPU, `streaming` on the CPU.
/// They are data: one text serves all values. Kernels that move little leave the cache alone, because later
/// kernels may find their operands there.
void choose_cache_use(const nest& body, std::int64_t bytes_moved, const target_facts& target,
                      schedule& chosen);

/// The descriptor that loads carry for a hint. `once` is for elements that one position reads; elements that
/// several positions read through one access are never evicted first. The values are those of libcu++'s
/// cuda::access_property (13.0), for compute capabilities 8 and 9.
std::uint64_t access_property(eviction reads, bool once);

}  // namespace sinter::inline v0
