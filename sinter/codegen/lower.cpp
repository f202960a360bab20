#include <sinter/codegen/kernel/finish_stage.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/schedule/choose_schedule.hpp>
#include <sinter/codegen/schedule/eviction.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/codegen/segment/segment_graph.hpp>
#include <sinter/codegen/shape/call_facts.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

namespace sinter::inline v0 {
namespace {

/// What the passes hand on to each other, and their working memory. Each thread keeps one, so that a repeated
/// layout allocates nothing; nothing in it outlives a call of lower().
struct pass_memory {
  shape_table shapes;
  stage_plan plan;
  segment_scratch segmenting;
  finish_scratch finishing;
};

pass_memory& memory_of_thread() {
  thread_local pass_memory memory;
  return memory;
}

/// Shapes of every node and of the results, or the reason why there are none.
void check_call(const lowering_request& asked, shape_table& shapes, std::vector<result_layout>& results) {
  check_externals(asked.recorded, asked.target.kind);
  infer_shapes(asked.recorded, asked.inputs, asked.scalars, shapes);
  check_parameter_limits(asked.recorded, asked.scalars);
  list_results(asked.recorded, shapes, results);
  check_counts(results);
  check_outputs(results, asked.outputs);
}

/// The schedules that are asked for instead of the best ones, and what each says of caches.
void settle_schedules(const lowering_request& asked, const planning_facts& facts, stage_list& stages) {
  for (std::size_t number = 0; number < stages.size(); ++number) {
    planned_stage& at = stages[number];
    if (number < asked.attempts.size() && asked.attempts[number] != 0)
      schedule_stage(at, facts, asked.attempts[number]);
    // on the CPU a caller's schedule for one stage speaks for the caches of all
    const bool is_given = is_gpu(asked.target.kind) ? at.is_given : facts.given != nullptr;
    at.bytes_moved = bytes_moved(at.body);
    if (!is_given) choose_cache_use(at.body, at.bytes_moved, asked.target, at.chosen);
  }
}

/// Throws what is wrong with a caller's schedule that no stage could take.
void check_given(const planning_facts& facts, stage_list& stages) {
  bool is_taken = facts.given == nullptr;
  for (std::size_t number = 0; number < stages.size(); ++number) is_taken |= stages[number].is_given;
  if (!is_taken)
    check_schedule(*facts.given, stages[0].body, facts.call.inputs, facts.call.outputs, facts.target);
}

/// Which inputs a result may overwrite.
void find_overwritable(const call_facts& call, lowered_call& lowered) {
  lowered.overwritable.assign(call.inputs.size(), 0);
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    lowered.overwritable[i] =
        lowered.stage_count == 1 && reads_only_what_it_writes(lowered.stages[0].body, call.array_of(i));
}

}  // namespace

void infer_results(const graph& recorded, std::span<const array_layout> inputs,
                   std::span<const std::uint64_t> scalars, std::vector<result_layout>& results) {
  shape_table& shapes = memory_of_thread().shapes;
  infer_shapes(recorded, inputs, scalars, shapes);
  list_results(recorded, shapes, results);
}

void lower(const lowering_request& asked, lowered_call& lowered) {
  auto& [shapes, plan, segmenting, finishing] = memory_of_thread();
  check_call(asked, shapes, lowered.results);

  const bool shape_generic = asked.variant == lowering_variant::shape_generic;
  const call_facts call{asked.recorded, shapes, asked.inputs, asked.outputs, asked.scalars, shape_generic};
  const planning_facts facts{call, asked.target, shape_generic ? nullptr : asked.forced};
  segment_graph(facts, segmenting, plan);
  check_given(facts, plan.stages);
  settle_schedules(asked, facts, plan.stages);

  lowered.stage_count = plan.stages.size();
  if (lowered.stages.size() < lowered.stage_count) lowered.stages.resize(lowered.stage_count);
  const finish_facts finish{asked.recorded, asked.target, plan.memory};
  for (std::size_t number = 0; number < lowered.stage_count; ++number)
    finish_stage(plan.stages[number], finish, number == 0, finishing, lowered.stages[number]);
  lowered.workspace_bytes = plan.memory.bytes();
  find_overwritable(call, lowered);
}

}  // namespace sinter::inline v0
