#pragma once
// Memory of calls that are captured into a CUDA graph.

#include <sinter/runtime/buffer.hpp>

#include <cstddef>

namespace sinter::inline v0::runtime {

/// Memory for a call on the stream. If the stream is being captured, the memory is allocated on a stream of
/// the library's own, the host waits for what used it before, and the graph keeps it: nothing is queued on
/// the captured stream. It comes from the given resource, or, for nullptr, from the one that is set.
buffer memory_for_call(device where, std::size_t bytes, const stream& on, const memory_resource* from);

/// Keeps the memory until the graph that `capturing` is being captured into, and all that was made from it,
/// is destroyed. Throws device_error if the driver is older than CUDA 12.3.
void keep_for_graph(const stream& capturing, allocation_record& memory);

}  // namespace sinter::inline v0::runtime
