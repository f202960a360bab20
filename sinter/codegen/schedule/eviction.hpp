#pragma once
// What becomes of the lines that a kernel reads and writes in the caches.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter {

/// Sets what a schedule says of caches, as suits a nest of so much traffic: `reads` on a GPU, `streaming` on
/// the CPU. It is data: the text serves all of it. Kernels that move little leave the cache as it is: what
/// follows them may find its operands there.
void choose_cache_use(const nest& body, std::int64_t bytes_moved, const target_facts& target,
                      schedule& chosen);

/// The descriptor that loads carry for it: of what one position reads, or of what several read through one
/// access, which is never the first to go. The numbers are those of libcu++'s cuda::access_property (13.0),
/// for compute capabilities 8 and 9.
std::uint64_t access_property(eviction reads, bool once);

}  // namespace sinter
