#pragma once
// What becomes of the lines that a kernel reads in the second-level cache of an NVIDIA GPU.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter {

/// The eviction that suits a nest of so much traffic. Kernels that move little leave the cache as it is: what
/// follows them may find its operands there.
eviction choose_eviction(const nest& body, const schedule& chosen, std::int64_t bytes_moved,
                         const target_facts& target);

/// The descriptor that loads carry for it: of what one position reads, or of what several read through one
/// access, which is never the first to go. The numbers are those of libcu++'s cuda::access_property (13.0),
/// for compute capabilities 8 and 9.
std::uint64_t access_property(eviction reads, bool once);

}  // namespace sinter
