#include <sinter/runtime/tuning/tune.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/schedule/tuning/combining_order.hpp>
#include <sinter/codegen/schedule/tuning/tuning_candidates.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/tuned/call_class.hpp>
#include <sinter/runtime/tuned/tuned_calls.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>
#include <sinter/runtime/tuning/schedule_search.hpp>
#include <sinter/runtime/tuning/trial_call.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// What lower() makes of a call whose schedules are tried. The state keeps it until it lowers another call.
const lowered_call& lower_trial(thread_state& state, const call_request& request,
                                const call_schedules& tried) {
  call_request trial = request;
  trial.trial = &tried;
  return state.lower(trial);
}

/// The kernels of a call and the work of each, by which one tells whether another cut makes a difference.
std::vector<std::string> stages_of(const lowered_call& lowered) {
  std::vector<std::string> all;
  for (const stage& at : std::span(lowered.stages).first(lowered.stage_count))
    all.push_back(fmt::format("{} {} {}", at.signature, at.tiles, fmt::join(at.body.extents, ",")));
  return all;
}

/// Least memory traffic of all kernels.
double bytes_of(const lowered_call& lowered) {
  double bytes = 0;
  for (const stage& at : std::span(lowered.stages).first(lowered.stage_count))
    if (at.tiles != 0) bytes += static_cast<double>(at.bytes_moved);
  return bytes;
}

/// What there is to try for a stage of a call. Refers to the stage and to what was asked.
stage_candidates candidates_of(const stage& at, const lowering_request& asked, bool may_change_bits) {
  if (!at.has_kernel()) return {};
  stage_candidates made;
  made.schedules =
      list_legal_schedules(at.body, at.chosen, asked.inputs, asked.outputs, asked.target, may_change_bits);
  sort_by_promise(made.schedules, at.body, asked.target);
  made.variations = [&at, asked](const schedule& of) {
    return list_data_variations(of, at.body, asked.inputs, asked.outputs, asked.target);
  };
  return made;
}

/// The cuts that make other stages than the default's and than each other. None where cuts would change bits
/// that must not change.
std::vector<cut_choice> list_cuts(thread_state& state, const call_request& request, bool may_change_bits) {
  constexpr int max_doublings = 3;
  const lowered_call& usual = lower_trial(state, request, {});
  const std::span stages = std::span(usual.stages).first(usual.stage_count);
  const bool is_exact = std::ranges::all_of(
      stages, [](const stage& at) { return !at.has_kernel() || combines_exactly(at.body); });
  if (!may_change_bits && !is_exact) return {};
  std::vector<cut_choice> all{{.whole = true}};
  for (int i = 1; i <= max_doublings; ++i)
    for (const int doublings : {i, -i}) all.push_back({.doublings = static_cast<std::int8_t>(doublings)});
  std::set<std::vector<std::string>> known{stages_of(usual)};
  std::erase_if(all, [&](const cut_choice& each) {
    return !known.insert(stages_of(lower_trial(state, request, {each, {}}))).second;
  });
  return all;
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
  const target_facts& target = facts_of(request.where);

  tuning_report report;
  report.function = describe(tuned);
  report.graph = name_of(tuned.tuning_hash);
  report.device = model_of(request.where);
  report.may_change_bits = how.may_change_bits;
  report.copy_bytes_per_second = copy_bytes_per_second(on);

  schedule_search search(trials, how);
  const call_schedules cut{search.search_cuts(list_cuts(state, trials.request(), how.may_change_bits)), {}};
  const lowered_call& lowered = lower_trial(state, trials.request(), cut);
  const lowering_request asked = state.lowering_of(trials.request(), target);
  report.call = class_of_call(asked.inputs, asked.outputs);
  for (const stage& at : std::span(lowered.stages).first(lowered.stage_count))
    search.add_stage(at, candidates_of(at, asked, how.may_change_bits));
  search.run(report);
  // the cut may have been taken back at the end
  report.bytes_per_second =
      bytes_of(lower_trial(state, trials.request(), {report.cut, {}})) / report.chosen_seconds;
  use(report, tuned.tuning_hash);
  return report;
}

}  // namespace sinter::inline v0::runtime
