#pragma once
// Sizes of what a CPU kernel works on at once.

#include <bit>
#include <cstdint>

namespace sinter::codegen {

/// Bytes of a line of the caches of x86-64 processors.
inline constexpr int cache_line_bytes = 64;

inline constexpr int host_step = 64;  ///< elements of a piece: whole vectors of every type and lines
inline constexpr int host_chunk =
    1024;  ///< elements laid out at once for short rows; in the first-level cache
/// Elements that one task of a parallel launch has, if they can be cut so: tens of microseconds of work,
/// beside which handing out a task is little.
inline constexpr std::int64_t host_piece = 1 << 15;

/// Elements of a scan that are combined as one vector: a 64-byte register of float32, two of float64.
inline constexpr int host_scan_line = 16;

/// Bytes of the stack in which a kernel keeps values of a row from one phase to the next: a part of the
/// second-level cache, and little beside the smallest stacks that threads have.
inline constexpr std::uint32_t host_kept_bytes = 1 << 16;
/// Elements of a row that are kept there where each takes so many bytes; a power of two, as all sizes are at
/// which kernels change.
constexpr std::int64_t host_kept_elements(std::uint32_t bytes) {
  return std::bit_floor(host_kept_bytes / bytes);
}

}  // namespace sinter::codegen
