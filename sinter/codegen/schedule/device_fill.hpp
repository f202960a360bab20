#pragma once
// When a launch gives every multiprocessor of a GPU work.

#include <sinter/codegen/target/target.hpp>

#include <cstdint>

namespace sinter {

/// Blocks of which every multiprocessor has as many as it takes to be busy.
std::int64_t blocks_to_fill(const target_facts& target);

/// Whether every multiprocessor has a block, and on average as many threads as two blocks of 64 have.
bool fills_device(std::int64_t blocks, std::int64_t threads, const target_facts& target);

/// From this many elements it pays to spread work over more blocks and launches, which take microseconds;
/// proportional to the number of multiprocessors.
std::int64_t enough_work(const target_facts& target);

}  // namespace sinter
