#pragma once
// What costs_of() counts of the calling thread's calls.

#include <sinter/runtime/device.hpp>
#include <sinter/runtime/profile/gpu_spans.hpp>

namespace sinter::inline v0::runtime {

/// Adds a call whose launches were queued on `on` (nullptr: on the CPU), if this thread counts costs.
void add_costs(const launched_work& work, device where, const stream_timeline* on) noexcept;

}  // namespace sinter::inline v0::runtime
