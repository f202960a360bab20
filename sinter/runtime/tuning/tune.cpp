#include <sinter/runtime/tuning/tune.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/schedule/tuning/tuning_candidates.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/tuned/call_class.hpp>
#include <sinter/runtime/tuned/tuned_calls.hpp>
#include <sinter/runtime/tuning/schedule_search.hpp>
#include <sinter/runtime/tuning/trial_call.hpp>
#include <sinter/runtime/tuning/tuning_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

void check_options(const function& called, const call_options& options, const tune_options& how) {
  const auto refuse = [&](const std::string& why) {
    throw type_error("tune of " + describe(called) + ": " + why);
  };
  if (!(how.budget.seconds() > 0))
    refuse(fmt::format("a budget of {} seconds leaves no time to measure: say .budget = 5.0",
                       how.budget.seconds()));
  if (!(how.least_gain >= 0 && how.least_gain < 1))
    refuse(fmt::format("least_gain is a share of the time, from 0 to 1, and not {}", how.least_gain));
  if (options.forced != nullptr) refuse("it chooses schedules itself: leave out with(schedule)");
  if (options.variant == lowering_variant::shape_generic)
    refuse("shape-generic kernels have schedules of their own: leave out general()");
}

std::unique_lock<std::mutex> take_turn() {
  static auto& turn = *new std::mutex;
  return std::unique_lock(turn);
}

/// Calls of this class have the result's schedules from now on.
void use(const tuning_report& report, const graph_hash& graph) {
  const tuned_entry entry = entry_of(report, "tune()");
  set_tuned(std::span(&entry, 1));
  renumber_functions(&graph);
}

}  // namespace

tuning_report tune(const function_handle& called, std::span<const operand> operands,
                   std::span<const scalar> scalars, const call_options& options,
                   std::span<const operand> into, const tune_options& how) {
  const function& tuned = held(called);
  check_options(tuned, options, how);
  call_request request = make_request(tuned, operands, scalars, into, options);
  check_memory(request);
  const stream default_stream = stream::default_of(request.where);
  const stream& on = options.on != nullptr ? *options.on : default_stream;
  request.on = &on;
  refuse_capture(tuned, on, "nothing can be measured");
  const std::unique_lock turn = take_turn();

  trial_call trials(request);
  thread_state state;
  const stage_schedules none;
  call_request usual = trials.request();
  usual.trial = &none;
  const target_facts& target = facts_of(request.where);
  const lowered_call& lowered = state.lower(usual);
  const lowering_request asked = state.lowering_of(usual, target);

  tuning_report report;
  report.function = describe(tuned);
  report.graph = name_of(tuned.tuning_hash);
  report.device = model_of(request.where);
  report.call = class_of_call(asked.inputs, asked.outputs);
  report.may_change_bits = how.may_change_bits;
  report.copy_bytes_per_second = copy_bytes_per_second(on);

  schedule_search search(trials, how);
  double bytes = 0;
  for (const stage& at : std::span(lowered.stages).first(lowered.stage_count)) {
    std::vector<schedule> candidates;
    if (at.has_kernel()) {
      candidates =
          list_legal_schedules(at.body, at.chosen, asked.inputs, asked.outputs, target, how.may_change_bits);
      sort_by_promise(candidates, at.body, target);
    }
    search.add_stage(at, std::move(candidates));
    if (at.tiles != 0) bytes += static_cast<double>(at.bytes_moved);
  }
  search.run(report);
  report.bytes_per_second = bytes / report.chosen_seconds;
  use(report, tuned.tuning_hash);
  return report;
}

}  // namespace sinter::inline v0::runtime
