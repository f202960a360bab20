#pragma once
// The search for the fastest cuts of a call, and then for the fastest schedule of each kernel.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/tuning/schedule_trials.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// What there is to try for one kernel.
struct stage_candidates {
  std::vector<schedule> schedules;  ///< the most promising first
  /// Those that differ from a schedule in what is data to its kernel: nothing is compiled to try them.
  std::function<std::vector<schedule>(const schedule&)> variations;
};

/// Searches first how rows are cut, then one kernel after the other, the one that moves the most memory
/// first, each with what was found before. A kernel has time by the memory that it moves, and what others
/// leave. Trials are compiled, run into poisoned memory, compared with the default's result,
/// and timed once (schedule_trials.hpp); those within a quarter of the best take turns with what was chosen
/// so far, and more are tried in the time that is left; then the best one's data are varied, and the winner
/// is confirmed by pairs of runs.
class schedule_search {
 public:
  /// The budget begins. Throws what a run of the call throws.
  schedule_search(trial_call& of, const tune_options& options);
  /// Tries other cuts than the default. Returns the one that is used from now on.
  cut_choice search_cuts(std::span<const cut_choice> others);
  /// The stages of the call, as they are lowered with the cuts that were chosen.
  void add_stage(const stage& of, stage_candidates candidates);
  /// Searches the stages, and fills times, cuts and stages of a report.
  void run(tuning_report& report);

 private:
  struct searched_stage {
    tuned_stage shown;
    std::size_t number = 0;  ///< of the call's stages
    std::vector<schedule_trial> trials;
    std::function<std::vector<schedule>(const schedule&)> variations;
  };

  void search(searched_stage& stage, trial_deadline end);
  void vary(searched_stage& stage, trial_deadline end);
  bool confirm(std::span<schedule_trial> trials);
  void compare_with_default(tuning_report& report);
  bool chose_default() const;

  trial_runner runner_;
  const trial_deadline begin_, end_;
  call_schedules chosen_;  ///< what was found so far
  std::vector<schedule_trial> cuts_;
  std::vector<searched_stage> stages_;
  std::unique_ptr<plan> usual_, current_;
  std::vector<double> first_times_;  ///< of the default, before anything was tried
};

}  // namespace sinter::inline v0::runtime
