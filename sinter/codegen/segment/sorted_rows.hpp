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
  std::int64_t rows = 0, length = 0;
  unsigned key_bytes = 0;  ///< 4 or 8; 0: nothing is sorted
  unsigned key_bits = 0;   ///< the lowest bits, in which keys may differ
};

/// "sorts 3 rows of 1000 keys of 32 bits".
std::string describe(const sorted_rows& sorted);

/// Bytes of scratch memory beside keys and positions, which begins at a multiple of 256 bytes. No less than
/// what the runtime takes of it.
std::size_t scratch_bytes(const sorted_rows& sorted, target_kind target);

}  // namespace sinter::inline v0
