#pragma once
// Reductions written by hand for one shape, compiled by NVRTC like Sinter's.

#include "../comparison.hpp"

#include <cstdint>
#include <string_view>

namespace sinter_bench {

/// The text of a softmax of rows of 4,096 float32: entry "softmax_by_hand", one block of 256 threads a row,
/// which keeps it in registers.
extern const char* const softmax_4096_by_hand;

/// Runs it on contiguous rows of `from`.
side hand_written_softmax(const float* from, float* to, std::int64_t rows);

/// A kernel that only reads `count` float32 (a multiple of 8,192), with the widest loads and persistent
/// blocks: no reduction can be faster.
side read_only(const float* from, std::int64_t count);

}  // namespace sinter_bench
