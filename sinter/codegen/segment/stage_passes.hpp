#pragma once
// The passes that make a stage, in the order in which lower.cpp lists them. Each works on the stage that the
// planner has begun. It returns false where the stage does not go on: other stages come first, after which
// it begins again, or its parts take its place.

#include <sinter/codegen/segment/stage_planner.hpp>

namespace sinter::inline v0 {

bool build_stage_nest(const planning_facts& facts, stage_planner& plan);
bool normalise_stage(const planning_facts& facts, stage_planner& plan);
bool order_stage_axes(const planning_facts& facts, stage_planner& plan);
bool choose_schedule(const planning_facts& facts, stage_planner& plan);
/// Puts the stage off if its first reduction is better computed ahead.
bool compute_ahead(const planning_facts& facts, stage_planner& plan);
/// Throws type_error if the caller's schedule is for this kind of nest and cannot run this one.
bool take_given_schedule(const planning_facts& facts, stage_planner& plan);
/// Puts pieces of rows, and what combines them, in the place of the stage.
bool split_stage(const planning_facts& facts, stage_planner& plan);
/// The schedule after the one that spilled. Comes after everything that decides which stages there are, so
/// that another attempt changes only its own stage.
bool rank_candidates(const planning_facts& facts, stage_planner& plan);
bool tile_columns(const planning_facts& facts, stage_planner& plan);
bool choose_next_schedule(const planning_facts& facts, stage_planner& plan);
bool choose_cache_hints(const planning_facts& facts, stage_planner& plan);
bool take_tuned_schedule(const planning_facts& facts, stage_planner& plan);

/// Throws what is wrong with a caller's schedule that no stage could take.
void check_given_schedule(const planning_facts& facts, stage_list& stages);

}  // namespace sinter::inline v0
