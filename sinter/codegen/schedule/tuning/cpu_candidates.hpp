#pragma once
// The schedules of a nest on the CPU that differ in its text.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <vector>

namespace sinter::inline v0 {

/// Variations of what was chosen, of which some may not be legal: of nests without reductions loop orders
/// and tiles; of reductions lanes, rows of a strip, and whether values stay from one loop to the next.
std::vector<schedule> list_cpu_candidates(const nest& loop_nest, const schedule& chosen,
                                          const target_facts& target);

}  // namespace sinter::inline v0
