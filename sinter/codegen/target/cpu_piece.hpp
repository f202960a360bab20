#pragma once
// Sizes of the pieces and buffers of CPU kernels.

#include <bit>
#include <cstdint>

namespace sinter::inline v0::codegen {

/// Bytes of a line of the caches of x86-64 processors.
inline constexpr int cpu_cache_line_bytes = 64;

inline constexpr int cpu_step = 64;     ///< elements of a piece: whole vectors and cache lines of every type
inline constexpr int cpu_chunk = 1024;  ///< elements packed at once; they stay in the first-level cache
/// Elements that one task of a parallel launch has, if they can be cut so: tens of microseconds of work,
/// beside which handing out a task is little.
inline constexpr std::int64_t cpu_piece = 1 << 15;

/// Elements of a row of a strip that is staged, at most. Groups of lanes along a longer one are mostly whole.
inline constexpr int cpu_staged_row = 64;

/// Bytes of stack that the buffers of a staged strip take, at most: with the lines of memory that they stand
/// for and those fetched ahead they fit a first-level cache of 32 KiB.
inline constexpr std::int64_t cpu_strip_bytes = 1 << 12;

/// Elements of a scan that are combined as one vector: a 64-byte register of float32, two of float64.
inline constexpr int cpu_scan_line = 16;
/// Blocks that a group of lanes is scanned in by a body, side by side: a 32-byte register of float32.
inline constexpr int cpu_scan_blocks = 8;

/// Bytes of stack in which a kernel keeps values of a row between phases: a part of the second-level cache,
/// and small compared with the smallest thread stacks.
inline constexpr std::uint32_t cpu_resident_bytes = 1 << 16;
/// Elements of a row that are kept there if each takes `bytes`; a power of two, like all sizes at which
/// kernels change.
constexpr std::int64_t cpu_resident_elements(std::uint32_t bytes) {
  return std::bit_floor(cpu_resident_bytes / bytes);
}

}  // namespace sinter::inline v0::codegen
