#pragma once
// Rows of keys, sorted by the CPU's threads.

#include <sinter/codegen/segment/sorted_rows.hpp>

#include <cstdint>

namespace sinter::inline v0::runtime {

/// Sorts contiguous rows of keys, uint32 or uint64 as `sorted` says, and writes the positions of each row in
/// that order. Short rows are a thread's each; long ones are sorted in runs, which are merged in parallel, on
/// the threads of the caller's oneTBB arena. The keys stay as they are. Throws std::bad_alloc.
void sort_rows_on_cpu(const sorted_rows& sorted, const void* keys, std::uint32_t* positions);

}  // namespace sinter::inline v0::runtime
