#include <sinter/runtime/tuning/schedule_search.hpp>

#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

// Runs of the default that begin and end a search.
constexpr std::size_t first_runs = 7;
// The share of a kernel's time for its candidates; the rest is for variations.
constexpr double share_of_candidates = 0.85;
// The share of what is left of that for trying candidates once; then the best take turns.
constexpr double share_of_trying = 0.7;
// The share of the budget for cuts, if there are others.
constexpr double share_of_cuts = 0.25;

// What memory moves in about the time of a launch, by which kernels of few bytes get time for their trials:
// in 2 us at 4 TB/s, and in 3 us at 20 GB/s.
constexpr double gpu_launch_bytes = 1 << 23, cpu_launch_bytes = 1 << 16;

using clock_type = std::chrono::steady_clock;

double time_of(const schedule_trial& at) {
  return at.is_timed() ? median_of(at.seconds).value : std::numeric_limits<double>::infinity();
}

/// The fastest trial, of those with several runs if there are such.
schedule_trial& fastest_of(std::span<schedule_trial> trials) {
  const auto has_several = [](const schedule_trial& at) {
    return at.is_timed() && at.seconds.size() >= runs_to_compare;
  };
  const bool several = std::ranges::any_of(trials, has_several);
  return *std::ranges::min_element(trials, {}, [&](const schedule_trial& at) {
    return several && !has_several(at) ? std::numeric_limits<double>::infinity() : time_of(at);
  });
}

std::vector<schedule_trial*> addresses_of(std::vector<schedule_trial>& trials) {
  std::vector<schedule_trial*> all;
  for (schedule_trial& at : trials) all.push_back(&at);
  return all;
}

}  // namespace

schedule_search::schedule_search(trial_call& of, const tune_options& options)
    : runner_(of, options),
      begin_(clock_type::now()),
      end_(begin_ + std::chrono::duration_cast<clock_type::duration>(
                        std::chrono::duration<double>(options.budget.seconds()))) {
  usual_ = of.prepare(chosen_);
  current_ = of.prepare(chosen_);
  of.run(*usual_, trial_call::results::of_default);
  for (std::size_t i = 0; i < first_runs; ++i) first_times_.push_back(runner_.time(*usual_));
}

/// Takes the fastest trial if it is faster than the current choice beyond noise, and by what was asked.
bool schedule_search::confirm(std::span<schedule_trial> trials) {
  schedule_trial& best = fastest_of(trials);
  if (!best.is_timed() || best.tried == chosen_) return false;
  const trial_runner::paired_times taken = runner_.take_pairs(*best.prepared, *current_);
  if (!runner_.is_worth_it(ratio_of(taken.of_other, taken.of_first))) return false;
  chosen_ = best.tried;
  current_ = std::move(best.prepared);
  return true;
}

cut_choice schedule_search::search_cuts(std::span<const cut_choice> others) {
  if (others.empty()) return chosen_.cuts;
  const trial_deadline end = deadline_after(share_of_cuts, end_);
  cuts_.resize(others.size() + 1);
  for (std::size_t i = 0; i < others.size(); ++i) cuts_[i + 1].tried.cuts = others[i];
  for (schedule_trial& at : cuts_) at.shown.cut = at.tried.cuts;
  runner_.time_first(cuts_.front());
  runner_.try_from(cuts_, 1, end);
  runner_.take_turns(addresses_of(cuts_), end);
  confirm(cuts_);
  for (schedule_trial& at : cuts_) at.prepared = nullptr;
  return chosen_.cuts;
}

void schedule_search::add_stage(const stage& of, stage_candidates candidates) {
  chosen_.stages.emplace_back();
  searched_stage& made = stages_.emplace_back();
  made.number = chosen_.stages.size() - 1;
  made.shown.purpose = describe(of.purpose, facts_of(runner_.call().request().where));
  made.shown.bytes_moved = of.tiles != 0 ? of.bytes_moved : 0;
  made.shown.usual = made.shown.chosen = of.chosen;
  made.shown.candidates = candidates.schedules.size();
  made.variations = std::move(candidates.variations);
  made.trials.resize(candidates.schedules.size() + 1);
  made.trials[0].shown.tried = of.chosen;
  for (std::size_t i = 0; i < candidates.schedules.size(); ++i)
    made.trials[i + 1].shown.tried = candidates.schedules[i];
}

void schedule_search::search(searched_stage& stage, trial_deadline end) {
  const trial_deadline end_of_candidates = deadline_after(share_of_candidates, end);
  for (schedule_trial& at : stage.trials) {
    at.tried = chosen_;
    if (&at != &stage.trials.front()) at.tried.stages[stage.number] = at.shown.tried;
  }
  runner_.time_first(stage.trials.front());
  const std::vector<schedule_trial*> all = addresses_of(stage.trials);
  // turns end early where most candidates are slow: the time that they leave is for more of them
  for (std::size_t next = 1; next < all.size() && seconds_until(end_of_candidates) > 0;) {
    next = runner_.try_from(stage.trials, next, deadline_after(share_of_trying, end_of_candidates));
    runner_.take_turns(all, end_of_candidates);
  }
  vary(stage, end);
  if (confirm(stage.trials)) stage.shown.chosen = *chosen_.stages[stage.number];
}

/// Tries the best schedule so far with other data: stores that bypass caches, tasks, evictions.
void schedule_search::vary(searched_stage& stage, trial_deadline end) {
  const std::size_t known = stage.trials.size();
  const auto best = static_cast<std::size_t>(&fastest_of(stage.trials) - stage.trials.data());
  for (const schedule& each : stage.variations(stage.trials[best].shown.tried)) {
    schedule_trial& made = stage.trials.emplace_back();
    made.shown.tried = each;
    made.tried = chosen_;
    made.tried.stages[stage.number] = each;
  }
  stage.shown.candidates += stage.trials.size() - known;
  runner_.try_from(stage.trials, known, end);
  std::vector<schedule_trial*> turns{&stage.trials[best]};
  for (std::size_t i = known; i < stage.trials.size(); ++i) turns.push_back(&stage.trials[i]);
  runner_.take_turns(turns, end);
}

bool schedule_search::chose_default() const {
  return chosen_.cuts == cut_choice() &&
         std::ranges::none_of(chosen_.stages, [](const stage_schedule& at) { return at.has_value(); });
}

/// Once more, what was chosen for all kernels together. The default stays if that is not faster.
void schedule_search::compare_with_default(tuning_report& report) {
  if (chose_default()) return;
  const trial_runner::paired_times taken = runner_.take_pairs(*current_, *usual_);
  const interval ratio = ratio_of(taken.of_other, taken.of_first);
  report.usual_seconds = report.chosen_seconds = median_of(taken.of_first).value;
  if (!runner_.is_worth_it(ratio)) {
    for (searched_stage& each : stages_) each.shown.chosen = each.shown.usual;
    return;
  }
  report.cut = chosen_.cuts;
  report.chosen_seconds = median_of(taken.of_other).value;
  report.gain = 1 - ratio.value;
  report.gain_low = 1 - ratio.high;
  report.gain_high = 1 - ratio.low;
}

void schedule_search::run(tuning_report& report) {
  const double launch_bytes = runner_.call().request().where.is_cuda() ? gpu_launch_bytes : cpu_launch_bytes;
  const auto weight_of = [&](const searched_stage& each) {
    return static_cast<double>(each.shown.bytes_moved) + launch_bytes;
  };
  std::vector<searched_stage*> by_bytes;
  double left = 0;
  for (searched_stage& each : stages_)
    if (each.shown.candidates != 0 || (each.variations && !each.variations(each.shown.usual).empty())) {
      by_bytes.push_back(&each);
      left += weight_of(each);
    }
  std::ranges::sort(by_bytes, {}, [](const searched_stage* each) {
    return std::pair(-each->shown.bytes_moved, each->number);
  });
  for (searched_stage* const each : by_bytes) {
    if (seconds_until(end_) <= 0) break;
    const double weight = weight_of(*each);
    search(*each, deadline_after(weight / left, end_));
    left -= weight;
    for (schedule_trial& at : each->trials) at.prepared = nullptr;
  }

  std::vector<double> last_times;
  for (std::size_t i = 0; i < first_runs; ++i) last_times.push_back(runner_.time(*usual_));
  report.usual_seconds = report.chosen_seconds = median_of(last_times).value;
  report.clock_drift = report.usual_seconds / median_of(first_times_).value - 1;
  compare_with_default(report);
  for (const schedule_trial& at : cuts_) report.cut_trials.push_back(at.summary());
  for (searched_stage& each : stages_) {
    schedule_trial& usual = each.trials.front();
    if (usual.seconds.empty()) usual.seconds = first_times_;  // there was no time, or nothing else to try
    usual.shown.outcome = trial_outcome::timed;
    for (const schedule_trial& at : each.trials) each.shown.trials.push_back(at.summary());
    report.stages.push_back(std::move(each.shown));
  }
  report.seconds_used = std::chrono::duration<double>(clock_type::now() - begin_).count();
}

}  // namespace sinter::inline v0::runtime
