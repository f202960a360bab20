#pragma once
// Rows of keys that a stage sorts, and the memory that it needs for that.

#include <sinter/codegen/target/target.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::inline v0 {

/// Contiguous rows of unsigned keys. Sorting them gives for each row its positions, uint32, in the order of
/// the keys; equal keys keep the order of their positions. The keys are overwritten.
struct sorted_rows {
  unsigned key_bytes = 0;  ///< 4 or 8; 0: nothing is sorted
  unsigned key_bits = 0;   ///< the lowest bits, in which keys may differ: the fewer, the fewer passes
  std::int64_t rows = 0, length = 0;
};

/// "sorts 3 rows of 1000 keys of 32 bits".
std::string describe(const sorted_rows& sorted);

/// Where a GPU keeps what it needs beside keys and positions (runtime/sort/row_sorter.hpp): an upper bound
/// for every device, since the workspace is laid out before there is code.
struct sort_scratch {
  std::size_t keys = 0, positions = 0;   ///< copies of a chunk of rows
  std::size_t counters = 0, counts = 0;  ///< of one row: for portions and passes; digits of each of them
  std::size_t lookback = 0;              ///< what blocks exchange that sort one row
  std::size_t bytes = 0;
};
sort_scratch scratch_of(const sorted_rows& sorted);
/// Bytes of that on a target, which begin at a multiple of 256 bytes. The CPU needs none.
std::size_t scratch_bytes(const sorted_rows& sorted, target_kind target);

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
/// Rows of a chunk.
std::int64_t rows_of_sort_chunk(const sorted_rows& sorted);

}  // namespace sinter::inline v0
