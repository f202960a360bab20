#pragma once
// CUB's full sum and sort, where libsinter_cub_limits.so lies beside the program.

#include "../comparison.hpp"

#include <cstdint>
#include <string>

namespace sinter_bench {

/// Why there is no CUB to compare with; empty where there is.
std::string why_no_cub();

/// cub::DeviceReduce::Sum of `count` elements (fewer than 2^31) into memory of its own, on the default
/// stream. The caller sets side::bytes. Throws std::runtime_error where CUB is missing or fails.
side cub_sum(const float* from, std::int64_t count);
/// cub::DeviceRadixSort::SortKeys of them, likewise.
side cub_sort(const float* from, std::int64_t count);

}  // namespace sinter_bench
