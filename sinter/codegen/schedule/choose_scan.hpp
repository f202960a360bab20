#pragma once
// Schedules of nests with scans: those of reductions, with threads such that a row takes few turns.

#include <sinter/codegen/schedule/choose_schedule.hpp>

namespace sinter {

/// Changes the schedule that the nest would have if it only reduced.
void adapt_to_scans(const nest& bound, const target_facts& target, unsigned attempt, schedule& chosen);

/// Whether so many threads have work that pieces of rows, for which elements are read twice, gain nothing.
bool has_enough_threads(const schedule& chosen, std::int64_t blocks, const target_facts& target);

}  // namespace sinter
