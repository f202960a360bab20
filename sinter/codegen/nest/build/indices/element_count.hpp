#pragma once

#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// The number of elements of a shape; it may be beyond 64 bits.
inline double element_count(std::span<const std::int64_t> extents) {
  double count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<double>(extent);
  return count;
}

}  // namespace sinter::inline v0
