#pragma once
// The shape of a warp over two axes. Where operands are contiguous along different axes, a warp along one of
// them loads the others from as many cache lines as it has threads, and a multiprocessor looks up one line a
// cycle. A warp that lies along both loads each of them from a few lines.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// Whether the neighbours of an element along `across`, and not those along `along`, lie in its sector of 32
/// bytes.
bool is_transposed(const access& at, unsigned along, unsigned across);

/// Whether any read is transposed.
bool reads_transposed(const nest& loop_nest, unsigned along, unsigned across);

/// Threads of a warp along axis `along`, each with `vector` elements; the others lie along `across`. A power
/// of two, at most `most`: the most with which memory takes longer than the lookups of cache lines, or else
/// those with the fewest lookups.
std::int64_t warp_threads_along(const nest& loop_nest, unsigned along, unsigned across, std::int64_t vector,
                                std::int64_t most, const target_facts& target);

}  // namespace sinter::inline v0
