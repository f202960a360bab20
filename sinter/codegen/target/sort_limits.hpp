#pragma once
// How long rows may be that one block sorts in registers; and what CUB's radix sort needs and takes, for
// workspaces that are laid out before there is code.

#include <cstdint>

namespace sinter::inline v0 {

/// The longest row that a block sorts in registers: 256 threads have 32 elements each, with their positions
/// 96 registers at most, and exchange places through 33 KiB of shared memory. Places take 13 bits of a word.
inline constexpr std::int64_t max_resident_sort = 1 << 13;
inline constexpr int resident_sort_bits = 13;
/// The elements of a block of short rows.
inline constexpr std::int64_t elements_of_short_sorts = 1 << 12;

/// Bounds of CUB's policies, which row_sorter checks that the code keeps: elements of a tile, and bits of a
/// pass over a whole row.
inline constexpr std::int64_t min_sort_tile = 2048, max_sort_tile = 1 << 16;
inline constexpr int max_sort_radix_bits = 8, min_onesweep_radix_bits = 8;
/// As CUB has it: one launch sorts at most so many elements of a row, rounded down to whole tiles, because
/// the counts that blocks exchange leave two bits of an int for flags.
inline constexpr std::int64_t max_sort_portion = (1 << 28) - 1;
/// Rows that have a block each are sorted by chunks of about this many elements: offsets are ints, and the
/// workspace holds a copy of a chunk. A chunk has work for the largest device for milliseconds.
inline constexpr std::int64_t sort_chunk_elements = 1 << 26;

}  // namespace sinter::inline v0
