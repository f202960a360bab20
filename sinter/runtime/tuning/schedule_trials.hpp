#pragma once
// Trials of schedules: how they are compiled, run, compared with the default's result and timed.

#include <sinter/runtime/tuning.hpp>
#include <sinter/runtime/tuning/compare_results.hpp>
#include <sinter/runtime/tuning/sample_statistics.hpp>
#include <sinter/runtime/tuning/trial_call.hpp>
#include <sinter/runtime/tuning/trial_clock.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace sinter::inline v0::runtime {

/// Runs without which a trial is not compared with those that have as many: a single one may be lucky.
inline constexpr std::size_t runs_to_compare = 4;

/// A call under other schedules, and its times so far.
struct schedule_trial {
  call_schedules tried;
  tuning_trial shown;
  std::unique_ptr<plan> prepared;  ///< as long as it may win
  std::vector<double> seconds;

  bool is_timed() const { return shown.outcome == trial_outcome::timed; }
  void drop(trial_outcome outcome) {
    shown.outcome = outcome;
    prepared = nullptr;
  }
  /// What was measured, for a report.
  tuning_trial summary() const;
};

using trial_deadline = std::chrono::steady_clock::time_point;
/// Until a deadline; negative after it.
double seconds_until(trial_deadline end);
/// The deadline after a share of the time that is left until another.
trial_deadline deadline_after(double share, trial_deadline end);

/// Runs trials of one call. What it throws, but for what a trial fails by, a run of the call throws.
class trial_runner {
 public:
  trial_runner(trial_call& of, const tune_options& options);

  /// Times the trial that others are compared with: what was chosen so far.
  void time_first(schedule_trial& at);
  /// Compiles trials from a place of the list on, in batches, runs each into poisoned memory, compares the
  /// result with the default's and times that run, until the deadline. Those that are clearly slower than the
  /// best are dropped. Returns the place of the first that was not begun.
  std::size_t try_from(std::vector<schedule_trial>& trials, std::size_t first, trial_deadline end);
  /// Rounds of one run for each that is timed and has not had enough, until the deadline. Those with
  /// runs_to_compare whose interval does not reach the best one's are dropped; the first one never is.
  void take_turns(const std::vector<schedule_trial*>& trials, trial_deadline end);

  /// Times of two plans, by runs in turns.
  struct paired_times {
    std::vector<double> of_other, of_first;
  };
  paired_times take_pairs(const plan& other, const plan& first);
  /// Whether a share of the time is beyond noise, and as small as was asked.
  bool is_worth_it(const interval& ratio) const;
  double time(const plan& prepared);
  trial_call& call() { return call_; }

 private:
  class batch;
  void try_once(schedule_trial& at);

  trial_call& call_;
  const tune_options options_;
  result_comparison comparison_;
  std::unique_ptr<trial_clock> clock_;
  std::vector<cached_range> touched_;
  double best_ = 0;  ///< seconds of the best single run since time_first()
};

}  // namespace sinter::inline v0::runtime
