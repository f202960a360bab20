#pragma once
// Nests with too few rows to fill a device, or with rows too long to be resident: what is computed ahead of
// them, and the pieces that their rows are split into.

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/cut_choice.hpp>
#include <sinter/codegen/segment/pieces/split_rows.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>

namespace sinter::inline v0 {

/// Whether a nest with reductions would run on too few blocks for its work, or for its waits for
/// memory, under this schedule.
bool leaves_device_idle(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// Whether rows are so few and so long that a reduction should run before its users instead of with them: it
/// can then be split over the whole device.
bool has_too_few_rows(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// The pieces of a nest with deviations (split_rows.hpp), with which each element is read once: if its rows
/// are too few, or too long to be resident. An empty cut if it should not be split.
row_cut deviation_cut(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// Whether a nest's reductions should run ahead of their users: rows are too few, or they are long and their
/// deviations would read them repeatedly, or they are many runs that are too short for vectors. Never for a
/// shape-generic nest, whose rows are unknown.
bool is_better_ahead(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// Why a nest is split, or its reductions run ahead.
stage_reason reason_to_split(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// Whether a nest reads every element once, over all the stages that it is split into.
bool reads_once(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// The pieces of rows that fill the device; an empty cut if rows stay whole. Depends only on extents,
/// schedule and target.
row_cut cut_of_rows(const nest& loop_nest, const schedule& chosen, const target_facts& target);

/// The pieces of a stage with this schedule, and the reason for splitting it; an empty cut if it stays one
/// stage, as shape-generic ones do, and those that are to stay whole.
struct piece_choice {
  row_cut cut;
  stage_reason reason = stage_reason::results;
};
piece_choice choose_pieces(const nest& loop_nest, const schedule& chosen, const target_facts& target,
                           const cut_choice& choice);

}  // namespace sinter::inline v0
