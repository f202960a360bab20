#include <sinter/codegen/schedule/choose_schedule.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>

namespace sinter::inline v0 {

void schedule_stage(planned_stage& at, const planning_facts& facts, unsigned attempt) {
  const call_facts& call = facts.call;
  // also swaps axes for the tiled order
  at.chosen = choose(at.body, call.inputs, call.outputs, facts.target, attempt);
  at.is_given = facts.given != nullptr && is_reduction_order(facts.given->order) == (at.body.reduced != 0);
  if (!at.is_given) return;
  check_schedule(*facts.given, at.body, call.inputs, call.outputs, facts.target);
  at.chosen = *facts.given;
}

}  // namespace sinter::inline v0
