#pragma once
// Schedules of nests with reductions or scans.

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

namespace sinter::inline v0 {

/// Chooses the loop order and, through choose_rows.hpp, choose_columns.hpp and choose_scan.hpp, the rest of
/// the schedule.
schedule choose_reduction(const nest& loop_nest, std::span<const array_layout> inputs,
                          std::span<const array_layout> outputs, const target_facts& target,
                          unsigned attempt);

/// Whether the CPU's text stores per-element results of a row in pieces, which may bypass the cache.
bool streams_results(const nest& loop_nest, const schedule& chosen);

/// Dynamic shared memory of a block, in bytes.
std::uint32_t shared_bytes_of(const nest& loop_nest, const schedule& chosen);

}  // namespace sinter::inline v0
