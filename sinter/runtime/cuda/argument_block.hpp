#pragma once

#include <cstdint>
#include <span>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::inline v0::runtime {

/// Queues the copy of an argument block to device memory, ahead of the kernel that reads it there. On return
/// `block` may be changed or freed, even if the stream is being captured into a graph that is launched much
/// later.
void copy_arguments(void* to, std::span<const std::uint64_t> block, CUstream stream, int device);

}  // namespace sinter::inline v0::runtime
