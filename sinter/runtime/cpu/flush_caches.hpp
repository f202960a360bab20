#pragma once
// Memory that no cache holds.

#include <cstddef>
#include <span>

namespace sinter::inline v0::runtime {

struct cached_range {
  const std::byte* data;
  std::size_t bytes;
};

/// Takes these bytes out of the processors' caches, on the threads that run kernels. Much longer memory than
/// caches leaves little of itself there, and stays: 256 MiB or more in all. Where the processor has no
/// instruction for it, other memory is read instead.
void flush_caches(std::span<const cached_range> ranges);

}  // namespace sinter::inline v0::runtime
