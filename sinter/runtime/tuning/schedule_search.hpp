#pragma once
// The search for the fastest schedule of each kernel of a call.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/tuning.hpp>
#include <sinter/runtime/tuning/compare_results.hpp>
#include <sinter/runtime/tuning/sample_statistics.hpp>
#include <sinter/runtime/tuning/trial_call.hpp>
#include <sinter/runtime/tuning/trial_clock.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// Searches one kernel after the other, the one that moves the most memory first; each with the schedules
/// that were found for those before it. A candidate is compiled, run into poisoned memory, compared with the
/// default's result, and timed once; those within a quarter of the best take turns with the default until the
/// time for the kernel is used; the winner is confirmed by pairs of runs.
class schedule_search {
 public:
  schedule_search(trial_call& of, const tune_options& options);
  /// The schedules of the call's stages as they are lowered by default.
  void add_stage(const stage& of, std::vector<schedule> candidates);
  /// Fills times and stages of a report. Throws what a run of the call throws.
  void run(tuning_report& report);

 private:
  using clock_type = std::chrono::steady_clock;
  struct trial {
    tuning_trial shown;
    std::unique_ptr<plan> prepared;
    std::vector<double> seconds;
    bool is_timed() const { return shown.outcome == trial_outcome::timed; }
  };
  struct searched_stage {
    tuned_stage shown;
    std::size_t number = 0;  ///< of the call's stages
    std::vector<trial> trials;
  };

  void search(searched_stage& stage, clock_type::time_point end);
  void compile(searched_stage& stage, std::size_t first, std::size_t count);
  void try_once(trial& at);
  void take_turns(searched_stage& stage, clock_type::time_point end);
  void confirm(searched_stage& stage);
  double time(const plan& prepared);
  /// Times of two plans, by runs in turns.
  struct paired_times {
    std::vector<double> of_other, of_first;
  };
  paired_times take_pairs(const plan& other, const plan& first);
  bool is_worth_it(const interval& ratio) const;
  void compare_with_default(tuning_report& report);
  void show(searched_stage& stage) const;

  trial_call& call_;
  const tune_options options_;
  result_comparison comparison_;
  std::unique_ptr<trial_clock> clock_;
  std::vector<cached_range> touched_;
  stage_schedules chosen_;  ///< what was found so far
  std::vector<searched_stage> stages_;
  std::unique_ptr<plan> usual_, current_;
  double best_ = 0;  ///< seconds of the best so far
};

}  // namespace sinter::inline v0::runtime
