#include <sinter/codegen/nest/build/build_nest.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/choose/eviction.hpp>
#include <sinter/codegen/schedule/choose/order_axes.hpp>
#include <sinter/codegen/schedule/choose/register_tiles.hpp>
#include <sinter/codegen/schedule/model/rank_candidates.hpp>
#include <sinter/codegen/segment/stage_passes.hpp>

namespace sinter::inline v0 {

bool build_stage_nest(const planning_facts& facts, stage_planner& plan) {
  const node_id misfit =
      build_nest(facts.call, plan.stored(), plan.task().wanted, plan.nests(), plan.made().body);
  if (misfit != no_node) plan.put_off(misfit);
  return misfit == no_node;
}

bool normalise_stage(const planning_facts&, stage_planner& plan) {
  settle_empty(plan.made().body);
  normalise(plan.made().body);
  return true;
}

bool order_stage_axes(const planning_facts& facts, stage_planner& plan) {
  order_axes(plan.made().body, facts.target);
  return true;
}

bool choose_schedule(const planning_facts& facts, stage_planner& plan) {
  plan.made().chosen = choose(plan.made().body, facts.call.inputs, facts.call.outputs, facts.target, 0);
  return true;
}

bool compute_ahead(const planning_facts&, stage_planner& plan) { return !plan.put_off_for_reduction(); }

bool take_given_schedule(const planning_facts& facts, stage_planner& plan) {
  const schedule* given = facts.given;
  planned_stage& at = plan.made();
  at.is_given = given != nullptr && is_reduction_order(given->order) == (at.body.reduced != 0);
  if (!at.is_given) return true;
  check_schedule(*given, at.body, facts.call.inputs, facts.call.outputs, facts.target);
  at.chosen = *given;
  return true;
}

bool split_stage(const planning_facts&, stage_planner& plan) { return !plan.split(); }

bool rank_candidates(const planning_facts& facts, stage_planner& plan) {
  planned_stage& at = plan.made();
  if (is_gpu(facts.target.kind) && !at.is_given && !at.body.shape_generic)
    at.chosen = choose_candidate(at.body, at.chosen, facts.call.inputs, facts.call.outputs, facts.target);
  return true;
}

bool tile_columns(const planning_facts& facts, stage_planner& plan) {
  planned_stage& at = plan.made();
  if (!at.is_given) choose_register_tiles(at.body, facts.target, at.chosen);
  return true;
}

bool choose_next_schedule(const planning_facts& facts, stage_planner& plan) {
  planned_stage& at = plan.made();
  const unsigned attempt = plan.number() < facts.attempts.size() ? facts.attempts[plan.number()] : 0;
  if (attempt != 0 && !at.is_given)
    at.chosen = choose(at.body, facts.call.inputs, facts.call.outputs, facts.target, attempt);
  return true;
}

bool choose_cache_hints(const planning_facts& facts, stage_planner& plan) {
  planned_stage& at = plan.made();
  at.bytes_moved = bytes_moved(at.body);
  // on the CPU a caller's schedule for one stage speaks for the caches of all
  const bool is_given = is_gpu(facts.target.kind) ? at.is_given : facts.given != nullptr;
  if (!is_given) choose_cache_use(at.body, at.bytes_moved, facts.target, at.chosen);
  return true;
}

// Last, so that the nests of a call are those that were measured, whatever is chosen for them.
bool take_tuned_schedule(const planning_facts& facts, stage_planner& plan) {
  planned_stage& at = plan.made();
  if (at.is_given || plan.number() >= facts.tuned.size() || !facts.tuned[plan.number()]) return true;
  check_schedule(*facts.tuned[plan.number()], at.body, facts.call.inputs, facts.call.outputs, facts.target);
  at.chosen = *facts.tuned[plan.number()];
  return true;
}

void check_given_schedule(const planning_facts& facts, stage_list& stages) {
  bool is_taken = facts.given == nullptr;
  for (std::size_t number = 0; number < stages.size(); ++number) is_taken |= stages[number].is_given;
  if (!is_taken)
    check_schedule(*facts.given, stages[0].body, facts.call.inputs, facts.call.outputs, facts.target);
}

}  // namespace sinter::inline v0
