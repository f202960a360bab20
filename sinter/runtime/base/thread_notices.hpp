#pragma once
// What tells threads to look again at what they keep between calls.

#include <atomic>
#include <cstdint>

namespace sinter::inline v0::runtime {

/// Rises when an optimised kernel has replaced a quick one, when profiling is turned on or off, and when the
/// process's cache has other packs. Each call compares it with the value that its thread saw last: a change
/// drops the plans that use quick kernels, or all where packs may decide other schedules, and has the thread
/// ask what is to be observed.
inline constinit std::atomic<std::uint32_t> thread_notices{0};

}  // namespace sinter::inline v0::runtime
