#pragma once
// Rows of keys that a stage sorts, and the memory that it needs for that.

#include <sinter/codegen/target/sort_limits.hpp>
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

/// Rows of a chunk.
std::int64_t rows_of_sort_chunk(const sorted_rows& sorted);

}  // namespace sinter::inline v0
