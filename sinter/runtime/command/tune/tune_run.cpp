// sinter tune: tunes the calls of recordings.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/posix/whole_file.hpp>
#include <sinter/runtime/tuning/recorded_trials.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "../terminal/progress.hpp"
#include "../terminal/units.hpp"
#include "tune_options.hpp"
#include "tune_page.hpp"
#include "tune_text.hpp"

namespace sinter::inline v0::command {
namespace {

/// "cpu", "cuda", "cuda:1"; "": none is named.
std::optional<device> device_named(const std::string& name) {
  constexpr std::string_view numbered = "cuda:";
  if (name.empty()) return std::nullopt;
  if (name == "cpu") return device::cpu();
  if (name == "cuda") return device::cuda();
  int index = -1;
  if (name.starts_with(numbered)) {
    const char* const end = name.data() + name.size();
    const auto [stop, fault] = std::from_chars(name.data() + numbered.size(), end, index);
    if (fault == std::errc() && stop == end && index >= 0) return device::cuda(index);
  }
  throw failure(fmt::format("'{}' is no device: say --device cpu, or --device cuda:0", harmless(name)),
                exit_code::usage);
}

std::string output_of(const tune_run_options& options) {
  if (!options.output.empty()) return options.output;
  constexpr const char* ending = ".tuning";
  std::filesystem::path made = options.recordings.front();
  if (made.extension() == ending) return made.string() + ending;
  return made.replace_extension(ending).string();
}

/// Seconds that the next call may take; 0 if --total is used up.
class time_left {
 public:
  explicit time_left(const tune_run_options& options) : options_(options) {}
  double for_next_of(std::size_t calls) const {
    if (options_.total <= 0) return options_.budget;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    const double share = (options_.total - passed.count()) / static_cast<double>(calls);
    return std::clamp(share, 0.0, options_.budget);
  }

 private:
  const tune_run_options& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct tuned_calls {
  std::vector<runtime::tuning_record> records;
  std::vector<std::string> faults;
  std::size_t left = 0;  ///< calls for which --total left no time
};

/// Saves after each call: what was found stays if the process is stopped.
tuned_calls tune_all(const std::vector<runtime::recorded_trial>& trials, const tune_run_options& options,
                     const std::string& output, bool shows_progress) {
  tuned_calls made;
  progress_bar bar("tuning", trials.size(), shows_progress);
  const time_left time(options);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const double seconds = time.for_next_of(trials.size() - i);
    if (seconds <= 0) {
      ++made.left;
      continue;
    }
    std::optional<tuning_report> report;
    try {
      report = tune_recorded(
          trials[i],
          {.budget = seconds, .least_gain = options.least_gain, .may_change_bits = options.may_change_bits});
    } catch (const error& thrown) {
      made.faults.push_back(fmt::format("{} on {} for {}: {}", trials[i].function, trials[i].on.to_string(),
                                        trials[i].call, thrown.what()));
    } catch (const std::bad_alloc&) {
      made.faults.push_back(fmt::format("{} on {} for {}: the host has no memory for its arrays",
                                        trials[i].function, trials[i].on.to_string(), trials[i].call));
    }
    if (report) {
      report->save(output);
      made.records.push_back({std::move(*report), emitter_version});
    }
    bar.advance_to(i + 1);
  }
  return made;
}

void print_for_people(const console& to, const tuned_calls& tuned, const runtime::recorded_trials& wanted,
                      const std::string& output) {
  table rows({{"FUNCTION"}, {"DEFAULT", true}, {"TUNED", true}, {"GAIN"}, {"CALL"}});
  for (const runtime::tuning_record& each : tuned.records)
    rows.add({harmless(each.report.function),
              time_text(each.report.usual_seconds),
              time_text(each.report.chosen_seconds),
              {gain_text(each.report), each.report.has_winner() ? tint::good : tint::plain},
              harmless(each.report.call)});
  to.print(rows.text(to));
  const auto winners = std::ranges::count_if(
      tuned.records, [](const runtime::tuning_record& each) { return each.report.has_winner(); });
  to.line(fmt::format("{} of {} calls tuned, {} of them faster, in {}", tuned.records.size(),
                      wanted.trials.size(), winners, output));
  for (const runtime::skipped_calls& each : wanted.skipped)
    to.line(fmt::format("{} skipped: {}", each.count, each.why));
  if (tuned.left != 0) to.line(fmt::format("{} not tuned: --total was used up", tuned.left));
  for (const std::string& each : tuned.faults) fmt::print(stderr, "sinter: not tuned: {}\n", harmless(each));
}

nlohmann::ordered_json json_of(const tuned_calls& tuned, const runtime::recorded_trials& wanted,
                               const std::string& output) {
  nlohmann::ordered_json records = nlohmann::ordered_json::array(), skipped = records;
  for (const runtime::tuning_record& each : tuned.records) records.push_back(command::json_of(each));
  for (const runtime::skipped_calls& each : wanted.skipped)
    skipped.push_back({{"why", each.why}, {"count", each.count}});
  return {{"file", output},
          {"calls", wanted.trials.size()},
          {"tuned", std::move(records)},
          {"skipped", std::move(skipped)},
          {"without_time", tuned.left},
          {"faults", tuned.faults}};
}

}  // namespace

exit_code run_tune(const tune_run_options& options) {
  const console to(options.json);
  if (options.recordings.empty())
    throw failure(
        "there is nothing to tune: name a recording, which a program makes that runs with "
        "SINTER_RECORD=FILE. 'sinter tune --help' tells more",
        exit_code::usage);
  const std::optional<device> on = device_named(options.device);
  const std::string output = output_of(options);
  record_to("");  // trials are no calls of a program
  const runtime::recording_content content = runtime::read_recordings(options.recordings);
  const runtime::recorded_trials wanted = runtime::trials_of(content.requests, on);
  // a damaged file is refused before anything is measured
  if (std::filesystem::exists(output)) static_cast<void>(runtime::read_tuning_file(output));

  tuned_calls tuned = tune_all(wanted.trials, options, output, to.shows_progress());
  tuned.faults.insert(tuned.faults.begin(), content.faults.begin(), content.faults.end());
  if (!options.page.empty()) write_page(options.page, tuned.records);
  if (options.json)
    to.document(json_of(tuned, wanted, output));
  else
    print_for_people(to, tuned, wanted, output);
  return tuned.faults.empty() && !tuned.records.empty() ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
