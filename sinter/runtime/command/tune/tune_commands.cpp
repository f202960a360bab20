#include "tune_commands.hpp"

#include <CLI/CLI.hpp>

namespace sinter::inline v0::command {
namespace {

void add_json(CLI::App& to, common_options& options) {
  to.add_flag("--json", options.json, "Prints JSON, for programs; its names stay what they are.");
}

}  // namespace

void tune_commands::add_to(CLI::App& root, const adder& add) {
  CLI::App& tune = add(
      root, "tune", "measure which schedules are the fastest for recorded calls, and keep them",
      "A recording is what a run with SINTER_RECORD=FILE wrote. Each of its calls is run under the schedules "
      "that it can have, on arrays of the recorded layouts that are filled with made-up numbers, and a "
      "winner "
      "is kept where it is faster beyond noise. The file is written after each call, so that what was found "
      "stays if the command is stopped; programs read it by load_tuning(). Calls with a schedule of their "
      "own, and those for a device that is not here, are skipped. A call that cannot be tuned is told, and "
      "answered by 1, as a run that tunes nothing is.",
      {"sinter tune run.record --output app.tuning",
       "sinter tune run.record --budget 20 --total 600 --html report.html", "sinter tune list app.tuning"},
      [this] { return run_tune(run_); });
  tune.require_subcommand(0, 1);
  tune.add_option("RECORDING", run_.recordings, "What runs with SINTER_RECORD wrote.");
  tune.add_option("-o,--output", run_.output,
                  "The file to which tunings are added; else the first recording's name, ending in .tuning.")
      ->type_name("FILE");
  tune.add_option("-b,--budget", run_.budget, "Seconds to compile and measure each call; 5 unless given.")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  tune.add_option("--total", run_.total,
                  "Seconds for all calls: each has an equal share of what is left, and --budget at most.")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  tune.add_option("--least-gain", run_.least_gain,
                  "The share of the time that a schedule must gain to be kept; 0.02 unless given.")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 0.999));
  tune.add_flag(
      "--may-change-bits", run_.may_change_bits,
      "Also tries schedules that combine elements in another order: results may differ by rounding.");
  tune.add_option("--device", run_.device,
                  "Where all calls are tuned: 'cpu' or, as an example, 'cuda:0'; else where each call ran.")
      ->type_name("DEVICE");
  tune.add_option("--html", run_.page, "Writes a page with plots of all trials, for a browser.")
      ->type_name("FILE");
  add_json(tune, run_);
  add_views(tune, add);
  add_merge(tune, add);
}

/// Commands that look at files and change none.
void tune_commands::add_views(CLI::App& tune, const adder& add) {
  CLI::App& list = add(tune, "list", "list the tunings of files, one a line", "",
                       {"sinter tune list app.tuning"}, [this] { return run_tune_list(list_); });
  list.add_option("FILE", list_.files, "Files of tunings.")->required();
  add_json(list, list_);

  CLI::App& show =
      add(tune, "show", "show the trials of a file's tunings", "",
          {"sinter tune show app.tuning 'softmax'", "sinter tune show app.tuning --html report.html"},
          [this] { return run_tune_show(show_); });
  show.add_option("FILE", show_.file, "A file of tunings.")->required();
  show.add_option("PATTERN", show_.pattern,
                  "Only functions whose names have this part; * stands for any letters, ? for one.");
  show.add_option("--html", show_.page, "Writes a page with plots instead, for a browser.")
      ->type_name("FILE");
  add_json(show, show_);

  CLI::App& diff =
      add(tune, "diff", "tell what differs between two files of tunings",
          "Compares which calls were tuned, the winners, and gains whose intervals do not meet. "
          "Answers 1 if anything differs.",
          {"sinter tune diff before.tuning after.tuning"}, [this] { return run_tune_diff(diff_); });
  diff.add_option("BEFORE", diff_.before, "A file of tunings.")->required();
  diff.add_option("AFTER", diff_.after, "Another one.")->required();
  add_json(diff, diff_);
}

void tune_commands::add_merge(CLI::App& tune, const adder& add) {
  CLI::App& merge = add(tune, "merge", "make one file of the tunings of several",
                        "Of several tunings of the same calls the one with the largest gain stays. A damaged "
                        "file is refused, and nothing is written.",
                        {"sinter tune merge a.tuning b.tuning --output both.tuning"},
                        [this] { return run_tune_merge(merge_); });
  merge.add_option("FILE", merge_.files, "Files of tunings.")->required();
  merge.add_option("-o,--output", merge_.output, "The new file.")->type_name("FILE")->required();
  add_json(merge, merge_);
}

}  // namespace sinter::inline v0::command
