#pragma once
// The schedules among which the cost model chooses: legal by construction, and few enough to rank in a call.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <span>
#include <vector>

namespace sinter::inline v0 {

/// The schedules of a nest for a GPU in a fixed order, each once: those of every loop order that it can have,
/// with all shapes of blocks, lanes and loads in flight from tables. Rows that several loops read are loaded
/// by each, resident in registers and shared memory, staged, or shared by a cluster's blocks, which have room
/// for as many elements as proposals have. Nothing here depends on the alignment of arrays: of reductions,
/// alignment decides loads only (with_loads()), which are those of aligned arrays here, and of other nests
/// whether a schedule can be had at all. `proposed` gives what the space does not vary, and is not in it by
/// itself. A list without schedules says that the nest is not ranked.
void list_candidates(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                     std::vector<schedule>& candidates);

/// Whether the rows of a nest without reductions count as long at any length of their size class. Short rows
/// have the flat order and one kernel for every length.
bool has_long_rows(const schedule& proposed);

/// The schedule of a reduction with the loads that its arrays' alignment allows.
schedule with_loads(schedule chosen, const nest& loop_nest, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs);

}  // namespace sinter::inline v0
