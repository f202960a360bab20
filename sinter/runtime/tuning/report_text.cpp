#include <sinter/runtime/base/rates.hpp>
#include <sinter/runtime/base/sizes.hpp>
#include <sinter/runtime/tuning/report_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sinter::inline v0::runtime {

double bytes_of(const tuning_report& report) {
  double bytes = 0;
  for (const tuned_stage& each : report.stages) bytes += static_cast<double>(each.bytes_moved);
  return bytes;
}

}  // namespace sinter::inline v0::runtime

namespace sinter::inline v0 {
namespace {

// Trials of a stage that are printed; a saved file has all.
constexpr std::size_t printed_trials = 12;
// From here on a change of the default's time is said to be one: runs in turns differ by less.
constexpr double notable_drift = 0.05;

using namespace runtime;

/// The share of what a copy would move in the same time.
std::string share_of_copy(double bytes, double seconds, double copy_bytes_per_second) {
  if (!(seconds > 0) || !(copy_bytes_per_second > 0)) return "-";
  return fmt::format("{:.0f}%", 100 * bytes / seconds / copy_bytes_per_second);
}

std::string summary_of(const tuning_report& report) {
  std::string text = fmt::format("{}\non {}\nfor {}\n", report.function, report.device, report.call);
  if (report.has_winner())
    text += fmt::format("default {}, tuned {}: {:.1f}% less ({:.1f} to {:.1f})\n",
                        time_text(report.usual_seconds), time_text(report.chosen_seconds), 100 * report.gain,
                        100 * report.gain_low, 100 * report.gain_high);
  else
    text += fmt::format("default {}: it stays, no schedule is faster beyond noise and by what was asked\n",
                        time_text(report.usual_seconds));
  text += fmt::format("moves {} of the {} of a copy ({}); {}\n", rate_text(report.bytes_per_second),
                      rate_text(report.copy_bytes_per_second),
                      share_of_copy(bytes_of(report), report.chosen_seconds, report.copy_bytes_per_second),
                      report.may_change_bits ? "the order of combining may differ from the default's"
                                             : "bits are the default's");
  text += fmt::format("{:.1f} s used; the default's time changed by {:+.1f}% from begin to end\n",
                      report.seconds_used, 100 * report.clock_drift);
  if (std::abs(report.clock_drift) > notable_drift)
    text +=
        "warning: clocks changed, or other programs ran: what was timed early and late differs by more "
        "than what is looked for. The winner was confirmed by runs in turns; tune again on a quiet device\n";
  return text;
}

std::size_t count(const tuned_stage& stage, trial_outcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(stage.trials, outcome, &tuning_trial::outcome));
}

/// How a trial is shown: its times, what it tried and what it is.
std::string describe_trial(const tuning_trial& at, const std::string& tried, const tuning_report& report) {
  return fmt::format("  {:>11}  {:>11} - {:>11}  {:>4}  {:>7}  {}", time_text(at.seconds), time_text(at.low),
                     time_text(at.high), at.samples,
                     share_of_copy(bytes_of(report), at.seconds, report.copy_bytes_per_second), tried);
}

std::string heading_of_trials(std::string_view tried) {
  return fmt::format("  {:>11}  {:>25}  {:>4}  {:>7}  {}\n", "median", "95% interval", "runs", "of copy",
                     tried);
}

std::string describe_cuts(const tuning_report& report) {
  if (report.cut_trials.empty()) return {};
  std::string text = "how rows are cut:\n" + heading_of_trials("cut");
  for (const tuning_trial& at : report.cut_trials) {
    if (at.samples == 0) {
      text += fmt::format("  {} was not timed{}{}\n", to_string(at.cut), at.why.empty() ? "" : ": ",
                          at.why.substr(0, at.why.find('\n')));
      continue;
    }
    text += fmt::format("{}{}{}{}\n", describe_trial(at, to_string(at.cut), report),
                        at.cut == cut_choice() ? " (default)" : "", at.cut == report.cut ? " (chosen)" : "",
                        at.outcome == trial_outcome::other_result ? " (another result)" : "");
  }
  return text;
}

std::string describe_trials(const tuned_stage& stage, const tuning_report& report) {
  std::vector<const tuning_trial*> timed;
  for (const tuning_trial& each : stage.trials)
    if (each.samples != 0) timed.push_back(&each);
  // those that had all turns first, each by its time
  std::ranges::sort(timed, {}, [](const tuning_trial* each) {
    return std::tuple(each->outcome != trial_outcome::timed, each->seconds, each->tried);
  });
  std::string text = heading_of_trials("schedule");
  std::size_t printed = 0;
  for (const tuning_trial* each : timed) {
    const bool is_usual = each->tried == stage.usual, is_chosen = each->tried == stage.chosen;
    if (++printed > printed_trials && !is_usual && !is_chosen) continue;
    text += fmt::format("{}{}{}\n", describe_trial(*each, to_string(each->tried), report),
                        is_usual ? " (default)" : "", is_chosen ? " (chosen)" : "");
  }
  if (timed.size() > printed_trials)
    text += fmt::format("  and {} slower ones, which save() writes\n", timed.size() - printed_trials);
  return text;
}

std::string describe_others(const tuned_stage& stage) {
  std::string text;
  if (const std::size_t left = count(stage, trial_outcome::not_tried); left != 0)
    text += fmt::format("  {} of {} schedules were not tried for lack of time: say a longer budget\n", left,
                        stage.candidates);
  if (const std::size_t others = count(stage, trial_outcome::other_result); others != 0)
    text += fmt::format("  {} had results other than the default's, and are not used\n", others);
  const auto failed = std::ranges::find(stage.trials, trial_outcome::failed, &tuning_trial::outcome);
  if (failed != stage.trials.end())
    text += fmt::format("  {} did not run, as \"{}\": {}\n", count(stage, trial_outcome::failed),
                        to_string(failed->tried), failed->why.substr(0, failed->why.find('\n')));
  return text;
}

}  // namespace

std::string to_string(const tuning_report& report) {
  std::string text = summary_of(report) + describe_cuts(report);
  for (std::size_t i = 0; i < report.stages.size(); ++i) {
    const tuned_stage& stage = report.stages[i];
    text += fmt::format("kernel {} of {}: {}, {} moved, {} other schedule{}\n", i + 1, report.stages.size(),
                        stage.purpose, runtime::format_bytes(static_cast<std::size_t>(stage.bytes_moved)),
                        stage.candidates, stage.candidates == 1 ? "" : "s");
    if (stage.candidates != 0) text += describe_trials(stage, report) + describe_others(stage);
  }
  return text;
}

std::ostream& operator<<(std::ostream& to, const tuning_report& report) { return to << to_string(report); }

}  // namespace sinter::inline v0
