#include "time_tuning.hpp"

#include "../statistics.hpp"
#include "json.hpp"
#include "timed_call.hpp"

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>
#include <sinter/runtime/tuning/trial_call.hpp>
#include <sinter/runtime/tuning/trial_clock.hpp>
#include <sinter/runtime/tuning/tune.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr int turns = 31;
// The search of every schedule of slower programs would take many minutes.
constexpr double slowest = 0.05;

runtime::call_schedules chosen_of(const tuning_report& report) {
  return *runtime::entry_of(report, "").tuned;
}

std::size_t tried_of(const tuning_report& report) {
  std::size_t tried = report.cut_trials.empty() ? 0 : report.cut_trials.size() - 1;
  for (const tuned_stage& each : report.stages)
    tried += static_cast<std::size_t>(std::ranges::count_if(each.trials, [](const tuning_trial& at) {
      return at.outcome != trial_outcome::not_tried && at.outcome != trial_outcome::failed;
    }));
  return tried;
}

std::size_t others_of(const tuning_report& report, trial_outcome outcome) {
  std::size_t count = 0;
  for (const tuned_stage& each : report.stages)
    count += static_cast<std::size_t>(std::ranges::count(each.trials, outcome, &tuning_trial::outcome));
  return count;
}

std::string text_of(const tuning_report& report) {
  std::string text;
  if (report.cut != cut_choice()) text = to_string(report.cut);
  for (const tuned_stage& each : report.stages) text += (text.empty() ? "" : "; ") + to_string(each.chosen);
  return text;
}

/// Schedules or cuts that were run, with the microseconds of the whole call, as a list of JSON.
template <typename Text>
std::string runs_of(std::span<const tuning_trial> trials, Text text) {
  std::string all;
  for (const tuning_trial& at : trials)
    if (at.samples != 0)
      all += (all.empty() ? "[" : ", [") + quoted(text(at)) + ", " + number(1e6 * at.seconds) + "]";
  return "[" + all + "]";
}

/// What each kernel computes and the times of its schedules, for looking at what the model misses.
std::string runs_of_stages(const tuning_report& report) {
  std::string all;
  for (const tuned_stage& each : report.stages)
    all += (all.empty() ? "{" : ", {") + ("\"purpose\": " + quoted(each.purpose)) +
           ", \"bytes\": " + std::to_string(each.bytes_moved) +
           ", \"runs\": " + runs_of(each.trials, [](const tuning_trial& at) { return to_string(at.tried); }) +
           "}";
  return "[" + all + "]";
}

}  // namespace

std::string time_tuning(const program& of, machine& on, const tuning_budgets& budgets) {
  const timed_call call(of, on);
  const stream order = stream::default_of(on.where());
  const auto tune = [&](double seconds) {
    return runtime::tune(call.function(), call.operands(), {}, {.on = &order}, call.into(),
                         {.budget = seconds, .may_change_bits = true});
  };
  if (const double once = cold_seconds(on, call.touched(), 1, [&] { call(); }); once > slowest)
    return "{\"id\": " + quoted(of.id) + ", \"error\": \"a call takes " + number(once * 1e3) +
           " ms: the search of every schedule is left out\"}";
  const tuning_report tuned = tune(budgets.tuned), whole = budgets.whole > 0 ? tune(budgets.whole) : tuned;

  runtime::call_request request =
      runtime::make_request(runtime::held(call.function()), call.operands(), {}, call.into(), {.on = &order});
  request.on = &order;
  runtime::trial_call trials(request);
  const std::vector<std::unique_ptr<runtime::plan>> plans = [&] {
    std::vector<std::unique_ptr<runtime::plan>> made;
    for (const runtime::call_schedules& each :
         {runtime::call_schedules(), chosen_of(tuned), chosen_of(whole)})
      made.push_back(trials.prepare(each));
    return made;
  }();
  // also the results that trials have of their own: lines that one of them leaves in caches slow stores of
  // the next that bypass these
  const std::unique_ptr<runtime::trial_clock> clock = runtime::clock_for(order);
  std::vector<runtime::cached_range> touched;
  for (const runtime::trial_call::range& each : trials.touched()) touched.push_back({each.data, each.bytes});
  std::vector<double> microseconds[3];
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::size_t at = (i + static_cast<std::size_t>(turn)) % plans.size();
      microseconds[at].push_back(1e6 * clock->seconds_of(touched, [&] {
        trials.run(*plans[at], runtime::trial_call::results::of_trial);
      }));
    }
  std::size_t candidates = 0;
  for (const tuned_stage& each : whole.stages) candidates += each.candidates;
  return "{\"id\": " + quoted(of.id) + ", \"default_us\": " + number(median(microseconds[0])) +
         ", \"tuned_us\": " + number(median(microseconds[1])) +
         ", \"best_us\": " + number(median(microseconds[2])) +
         ", \"candidates\": " + std::to_string(candidates) +
         ", \"tried\": " + std::to_string(tried_of(tuned)) +
         ", \"tried_by_whole\": " + std::to_string(tried_of(whole)) +
         ", \"other_results\": " + std::to_string(others_of(whole, trial_outcome::other_result)) +
         ", \"failed\": " + std::to_string(others_of(whole, trial_outcome::failed)) +
         ", \"seconds\": " + number(tuned.seconds_used) +
         ", \"whole_seconds\": " + number(whole.seconds_used) + ", \"gain\": " + number(tuned.gain) +
         ", \"whole_gain\": " + number(whole.gain) + ", \"tuned\": " + quoted(text_of(tuned)) +
         ", \"best\": " + quoted(text_of(whole)) + ", \"cuts\": " +
         runs_of(whole.cut_trials, [](const tuning_trial& at) { return to_string(at.cut); }) +
         ", \"stages\": " + runs_of_stages(whole) + "}";
}

}  // namespace sinter_bench
