#pragma once
// Schedules of nests with scans: schedules of reductions, with threads chosen so that a row takes few chunks.

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

namespace sinter::inline v0 {

/// Adapts the schedule that the nest would have as a plain reduction.
void adapt_to_scans(const nest& loop_nest, const target_facts& target, unsigned attempt, schedule& chosen);

/// Whether enough threads have work that splitting rows, which reads elements twice, gains nothing.
bool has_enough_threads(const schedule& chosen, std::int64_t blocks, const target_facts& target);

}  // namespace sinter::inline v0
