#include <sinter/runtime/tuning/schedule_search.hpp>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/environment.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

// Candidates within this much of the best after one run are worth more runs: single runs vary by some per
// cent.
constexpr double worth_turns = 1.25;
// After these rounds only those whose interval reaches the best one's stay.
constexpr std::size_t rounds_before_dropping = 3, max_rounds = 15;
// Pairs of runs that confirm a winner, and those that begin and end a search.
constexpr std::size_t confirming_pairs = 21, first_runs = 7;
// Shares of a kernel's time: for trying candidates once, and with that for taking turns.
constexpr double share_of_trying = 0.6, share_of_turns = 0.85;

double seconds_until(std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
}

std::chrono::steady_clock::duration span_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

}  // namespace

schedule_search::schedule_search(trial_call& of, const tune_options& options)
    : call_(of), options_(options), comparison_(of), clock_(clock_for(*of.request().on)) {
  for (const trial_call::range& each : of.touched()) touched_.push_back({each.data, each.bytes});
}

void schedule_search::add_stage(const stage& of, std::vector<schedule> candidates) {
  chosen_.emplace_back();
  searched_stage& made = stages_.emplace_back();
  made.number = chosen_.size() - 1;
  made.shown.purpose = describe(of.purpose, facts_of(call_.request().where));
  made.shown.bytes_moved = of.tiles != 0 ? of.bytes_moved : 0;
  made.shown.usual = made.shown.chosen = of.chosen;
  made.shown.candidates = candidates.size();
  made.trials.resize(candidates.size() + 1);
  made.trials[0].shown.tried = of.chosen;
  for (std::size_t i = 0; i < candidates.size(); ++i) made.trials[i + 1].shown.tried = candidates[i];
}

double schedule_search::time(const plan& prepared) {
  return clock_->seconds_of(touched_, [&] { call_.run(prepared, trial_call::results::of_trial); });
}

/// Compiles some of a stage's candidates side by side. What fails says why; other candidates go on.
void schedule_search::compile(searched_stage& stage, std::size_t first, std::size_t count) {
  const environment here = environment::current();
  std::vector<compile_pool::job_handle> jobs;
  compile_pool& pool = process_compile_pool();
  for (std::size_t i = first; i < first + count; ++i) {
    trial& at = stage.trials[i];
    jobs.push_back(pool.submit([this, &stage, &at, here] {
      const environment_scope scope(here);
      stage_schedules tried = chosen_;
      tried[stage.number] = at.shown.tried;
      try {
        at.prepared = call_.prepare(tried);
      } catch (const std::exception& failed) {
        at.shown.outcome = trial_outcome::failed;
        at.shown.why = failed.what();
      }
    }));
  }
  for (const compile_pool::job_handle& each : jobs) pool.wait(each);
}

/// Times a candidate once, and compares the result of that run with the default's.
void schedule_search::try_once(trial& at) {
  if (at.prepared == nullptr) return;
  try {
    if (call_.request().where.is_cuda())  // the first launch of a kernel loads its code
      call_.run(*at.prepared, trial_call::results::of_trial);
    call_.poison();
    at.seconds.push_back(time(*at.prepared));
    if (!comparison_.are_equal(!options_.may_change_bits)) {
      at.shown.outcome = trial_outcome::other_result;
      at.prepared = nullptr;
      return;
    }
  } catch (const device_error& failed) {  // a launch that the device refuses
    at.shown.outcome = trial_outcome::failed;
    at.shown.why = failed.what();
    at.prepared = nullptr;
    return;
  }
  at.shown.outcome = trial_outcome::timed;
  best_ = std::min(best_, at.seconds.back());
  if (at.seconds.back() <= worth_turns * best_) return;
  at.shown.outcome = trial_outcome::dropped;
  at.prepared = nullptr;
}

/// Rounds of one run for each that is left, the default among them, in an order that turns round.
void schedule_search::take_turns(searched_stage& stage, clock_type::time_point end) {
  for (std::size_t round = 1; round < max_rounds; ++round) {
    std::vector<trial*> left;
    for (trial& at : stage.trials)
      if (at.is_timed()) left.push_back(&at);
    if (left.size() < 2) return;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (seconds_until(end) <= 0) return;
      trial& at = *left[(i + round) % left.size()];
      at.seconds.push_back(time(*at.prepared));
    }
    if (round < rounds_before_dropping) continue;
    double least = median_of(left.front()->seconds).high;
    for (const trial* at : left) least = std::min(least, median_of(at->seconds).high);
    for (trial* at : left) {
      if (at == &stage.trials.front() || median_of(at->seconds).low <= least) continue;
      at->shown.outcome = trial_outcome::dropped;
      at->prepared = nullptr;
    }
  }
}

schedule_search::paired_times schedule_search::take_pairs(const plan& other, const plan& first) {
  paired_times taken;
  for (std::size_t i = 0; i < confirming_pairs; ++i) {
    if (i % 2 == 0) taken.of_other.push_back(time(other));
    taken.of_first.push_back(time(first));
    if (i % 2 != 0) taken.of_other.push_back(time(other));
  }
  return taken;
}

/// Whether a share of the time is beyond noise, and as small as was asked.
bool schedule_search::is_worth_it(const interval& ratio) const {
  return ratio.high < 1 && ratio.value <= 1 - options_.least_gain;
}

/// Takes the fastest candidate if it is faster than the current choice beyond noise, and by what was asked.
void schedule_search::confirm(searched_stage& stage) {
  const auto time_of = [](const trial& at) {
    return at.is_timed() ? median_of(at.seconds).value : std::numeric_limits<double>::infinity();
  };
  trial& best = *std::ranges::min_element(stage.trials, {}, time_of);
  if (&best == &stage.trials.front() || !best.is_timed()) return;
  const paired_times taken = take_pairs(*best.prepared, *current_);
  if (!is_worth_it(ratio_of(taken.of_other, taken.of_first))) return;
  stage.shown.chosen = best.shown.tried;
  chosen_[stage.number] = best.shown.tried;
  current_ = std::move(best.prepared);
}

void schedule_search::search(searched_stage& stage, clock_type::time_point end) {
  const auto begin = clock_type::now();
  const double whole = seconds_until(end);
  trial& usual = stage.trials.front();
  usual.prepared = call_.prepare(chosen_);
  usual.shown.outcome = trial_outcome::timed;
  usual.seconds.push_back(time(*usual.prepared));
  best_ = usual.seconds.front();

  const auto end_of_trying = begin + span_of(share_of_trying * whole);
  const std::size_t at_once = 2 * std::size_t{cpu_threads()};
  for (std::size_t first = 1; first < stage.trials.size() && seconds_until(end_of_trying) > 0;
       first += at_once) {
    const std::size_t count = std::min(at_once, stage.trials.size() - first);
    compile(stage, first, count);
    for (std::size_t i = first; i < first + count; ++i) try_once(stage.trials[i]);
  }
  for (std::size_t i = 1; i < stage.trials.size(); ++i) {
    trial& at = stage.trials[i];
    if (!at.is_timed() || at.seconds.front() <= worth_turns * best_) continue;
    at.shown.outcome = trial_outcome::dropped;
    at.prepared = nullptr;
  }
  take_turns(stage, begin + span_of(share_of_turns * whole));
  confirm(stage);
}

void schedule_search::show(searched_stage& stage) const {
  for (trial& at : stage.trials) {
    const interval found = median_of(at.seconds);
    at.shown.seconds = found.value;
    at.shown.low = found.low;
    at.shown.high = found.high;
    at.shown.samples = static_cast<std::uint32_t>(at.seconds.size());
    stage.shown.trials.push_back(std::move(at.shown));
  }
}

/// Once more, what was chosen for all kernels together. The default stays if that is not faster.
void schedule_search::compare_with_default(tuning_report& report) {
  if (std::ranges::none_of(chosen_, [](const stage_schedule& at) { return at.has_value(); })) return;
  const paired_times taken = take_pairs(*current_, *usual_);
  const interval ratio = ratio_of(taken.of_other, taken.of_first);
  report.usual_seconds = report.chosen_seconds = median_of(taken.of_first).value;
  if (!is_worth_it(ratio)) {
    for (searched_stage& each : stages_) each.shown.chosen = each.shown.usual;
    return;
  }
  report.chosen_seconds = median_of(taken.of_other).value;
  report.gain = 1 - ratio.value;
  report.gain_low = 1 - ratio.high;
  report.gain_high = 1 - ratio.low;
}

void schedule_search::run(tuning_report& report) {
  const auto begin = clock_type::now();
  const auto end = begin + span_of(options_.budget.seconds());
  usual_ = call_.prepare(chosen_);
  current_ = call_.prepare(chosen_);
  call_.run(*usual_, trial_call::results::of_default);
  std::vector<double> before, after;
  for (std::size_t i = 0; i < first_runs; ++i) before.push_back(time(*usual_));

  std::vector<searched_stage*> by_bytes;
  double left = 0;
  for (searched_stage& each : stages_)
    if (each.shown.candidates != 0) {
      by_bytes.push_back(&each);
      left += static_cast<double>(each.shown.bytes_moved) + 1;
    }
  std::ranges::sort(by_bytes, {}, [](const searched_stage* each) {
    return std::pair(-each->shown.bytes_moved, each->number);
  });
  for (searched_stage* const each : by_bytes) {
    const double bytes = static_cast<double>(each->shown.bytes_moved) + 1;
    const double seconds = seconds_until(end) * bytes / left;
    left -= bytes;
    if (seconds <= 0) break;
    search(*each, clock_type::now() + span_of(seconds));
    for (trial& at : each->trials) at.prepared = nullptr;
  }

  for (std::size_t i = 0; i < first_runs; ++i) after.push_back(time(*usual_));
  report.usual_seconds = report.chosen_seconds = median_of(after).value;
  report.clock_drift = report.usual_seconds / median_of(before).value - 1;
  compare_with_default(report);
  for (searched_stage& each : stages_) {
    trial& usual = each.trials.front();
    if (usual.seconds.empty()) usual.seconds = before;  // there was no time, or nothing else to try
    usual.shown.outcome = trial_outcome::timed;
    show(each);
    report.stages.push_back(std::move(each.shown));
  }
  report.seconds_used = std::chrono::duration<double>(clock_type::now() - begin).count();
}

}  // namespace sinter::inline v0::runtime
