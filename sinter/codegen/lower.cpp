#include <sinter/codegen/base/default_arithmetic.hpp>
#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/finish_stage.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/segment/stage_passes.hpp>
#include <sinter/codegen/shape/call_facts.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// What the passes hand on to each other, and their working memory. Each thread keeps one, so that a repeated
/// layout allocates nothing; nothing in it is used after a call of lower().
struct pass_memory {
  shape_table shapes;
  stage_plan plan;
  plan_scratch planning;
  finish_scratch finishing;
};

/// The passes that make a stage (segment/stage_passes.hpp).
constexpr struct {
  std::string_view name;
  bool (*run)(const planning_facts&, stage_planner&);
  bool for_parts;  ///< also for the parts of a split nest, which are nests already
} stage_passes[] = {
    {"build_nest", build_stage_nest, false},               // a nest, or a stage that must come first
    {"normalise", normalise_stage, false},                 // the same nest with fewer axes, in order
    {"order_axes", order_stage_axes, true},                // which axes lie innermost on the target
    {"choose_schedule", choose_schedule, true},            // a schedule by its size and layout
    {"compute_ahead", compute_ahead, false},               // a reduction as a stage of its own
    {"take_given_schedule", take_given_schedule, true},    // the caller's schedule
    {"split", split_stage, true},                          // pieces of rows and what combines them
    {"rank_candidates", rank_candidates, true},            // on GPUs, the one that the cost model prefers
    {"tile_columns", tile_columns, true},                  // several rows of columns, which share reads
    {"choose_next_schedule", choose_next_schedule, true},  // the second schedule, where the first one spills
    {"choose_cache_hints", choose_cache_hints, true},      // which lines the caches keep
    {"take_tuned_schedule", take_tuned_schedule, true},    // the one that was measured to be the fastest
};

/// The passes that make a planned stage's kernel, and its launch (finish_stage.hpp).
constexpr void (*kernel_passes[])(const finish_facts&, stage&) = {
    take_plan,
    describe,       // the kernel's description
    set_arguments,  // the values of its arguments
    sign,           // its signature
    set_launch,     // blocks, threads and memory
};

/// Which inputs a result may overwrite: stages before the first one that writes a result may read them
/// anywhere, that one where it writes, those after it not at all.
void find_overwritable(const call_facts& call, lowered_call& lowered) {
  const std::span stages = std::span(lowered.stages).first(lowered.stage_count);
  const auto first = std::ranges::find_if(stages, [](const stage& at) { return writes_a_result(at.body); });
  lowered.overwritable.assign(call.inputs.size(), 0);
  if (first == stages.end()) return;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    lowered.overwritable[i] = reads_only_what_it_writes(first->body, call.array_of(i)) &&
                              std::none_of(first + 1, stages.end(), [&](const stage& at) {
                                return reads_input(at.body, call.array_of(i));
                              });
}

/// Shapes of every node and of the results, or the reason why there are none.
void check_call(const lowering_request& request, shape_table& shapes, std::vector<result_layout>& results) {
  check_externals(request.recorded, request.target.kind);
  infer_shapes(request.recorded, request.inputs, request.scalars, shapes);
  check_parameter_limits(request.recorded, request.scalars);
  list_results(request.recorded, shapes, results);
  check_counts(results);
  check_outputs(results, request.outputs);
}

void plan_stages(const planning_facts& facts, pass_memory& memory, const show_pass& show) {
  stage_planner plan(facts, memory.planning, memory.plan);
  while (plan.begin_stage()) {
    const bool is_part = plan.task().part != nullptr;
    bool goes_on = true;
    if (plan.sorts()) {
      plan.sort_rows();
      plan.accept();
      continue;
    }
    for (const auto& pass : stage_passes) {
      if (!goes_on) break;
      if (is_part && !pass.for_parts) continue;
      goes_on = pass.run(facts, plan);
      if (show) [[unlikely]]
        show({pass.name, plan.number(), plan.made(), goes_on});
    }
    if (goes_on) plan.accept();
  }
}

}  // namespace

void infer_results(const graph& recorded, std::span<const array_layout> inputs,
                   std::span<const std::uint64_t> scalars, std::vector<result_layout>& results) {
  shape_table& shapes = thread_memory<pass_memory>::get().shapes;
  infer_shapes(recorded, inputs, scalars, shapes);
  list_results(recorded, shapes, results);
}

void lower(const lowering_request& request, lowered_call& lowered, const show_pass& show) {
  const default_arithmetic modes;  // schedules depend on estimates
  pass_memory& memory = thread_memory<pass_memory>::get();
  check_call(request, memory.shapes, lowered.results);

  const bool shape_generic = request.variant == lowering_variant::shape_generic;
  const call_facts call{request.recorded, memory.shapes, request.inputs,     request.outputs,
                        request.scalars,  shape_generic, request.target.kind};
  const planning_facts facts{call,
                             request.target,
                             shape_generic ? nullptr : request.forced,
                             request.attempts,
                             shape_generic ? std::span<const std::optional<schedule>>() : request.tuned,
                             shape_generic ? cut_choice() : request.cuts};
  plan_stages(facts, memory, show);
  check_given_schedule(facts, memory.plan.stages);

  stage_list& planned = memory.plan.stages;
  lowered.stage_count = planned.size();
  if (lowered.stages.size() < lowered.stage_count) lowered.stages.resize(lowered.stage_count);
  for (std::size_t number = 0; number < lowered.stage_count; ++number) {
    const finish_facts finishing{request.recorded, request.target, memory.plan.memory,
                                 planned[number],  number == 0,    memory.finishing};
    stage& made = lowered.stages[number];
    if (planned[number].sorts.key_bytes != 0)
      finish_sort(finishing, made);
    else
      for (const auto pass : kernel_passes) pass(finishing, made);
  }
  lowered.workspace_bytes = memory.plan.memory.bytes();
  find_overwritable(call, lowered);
}

}  // namespace sinter::inline v0
