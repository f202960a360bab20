// sinter_tune: one workload with many schedules, measured alternately.

#include "comparison.hpp"
#include "limits/cuda_limits.hpp"
#include "limits/measured_rates.hpp"
#include "statistics.hpp"
#include "tune_grid.hpp"
#include "workloads/sweeps.hpp"
#include "workloads/workload_data.hpp"
#include "workloads/workloads.hpp"

#include <sinter/runtime/device_facts.hpp>
#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sinter_bench;
using sinter::device;

constexpr const char* usage = R"(usage: sinter_tune [OPTIONS] WORKLOAD... [-- SCHEDULE...]
       sinter_tune --tune=SECONDS [--device=cpu] WORKLOAD...
       sinter_tune [--rounds=N] --calibrate

Workloads are those of sinter_bench, and points of its sweeps: softmax/256, row_sum/64, col_sum/4.
Runs each workload (or "all") with the schedule that the library chooses and with each given one, written as to_string
prints it ("rows vector=4 threads_along=256"; other fields have their defaults). Without schedules it tries a grid.

  --orders=LIST   loop orders of the grid: rows, flat, tiled, row_reduction, column_reduction (all)
  --file=FILE     schedules from a file ("-": standard input), one a line, # begins a comment
  --rounds=N      batches of each schedule (9); after two, those 15% slower than the best drop out
  --batch_ms=X    length of a batch (4)
  --top=N         lines printed for each workload (12)
  --shrink=N      workloads have 2^N times fewer elements
  --device=cpu    on the CPU
  --source        prints the text of the best schedule's kernel

--tune=SECONDS tunes each workload with that budget as a program would (f.tune), and prints a line of JSON: the seconds
that it took, and the microseconds of a call in a batch before and after, as bench/peers/peers.py times others.
--calibrate measures the GPU for the cost model and prints a row of its table (codegen/schedule/model/gpu_rates.cpp)
beside the one that the GPU has.
)";

struct options {
  std::vector<std::string> workloads, schedules;
  std::string orders = "rows,flat,tiled,row_reduction,column_reduction";
  std::size_t rounds = 9, top = 12;
  bool source = false, calibrate = false;
  double tune = 0;  ///< seconds
};

struct candidate {
  std::string text;  ///< "" is the schedule that the pass chooses
  side timed;
  std::size_t calls = 0;
  std::vector<double> seconds;
  double time() const { return median(seconds); }
};

/// How often elements are halved; throws for what is no such number.
int checked_shrink(const std::string& text) {
  std::size_t end = 0;
  int halvings = -1;
  try {
    halvings = std::stoi(text, &end);
  } catch (const std::exception&) {
    end = text.size() + 1;
  }
  if (end != text.size() || halvings < 0 || halvings > settings::max_shrink)
    throw std::invalid_argument(fmt::format(
        "--shrink={}: say how often elements are halved, a number from 0 to {}", text, settings::max_shrink));
  return halvings;
}

bool take_options(int count, char** words, options& taken) {
  current_settings().batch_seconds = 4e-3;
  bool after_dashes = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value_of = [&](std::string_view flag) { return std::string(word.substr(flag.size())); };
    if (after_dashes) {
      taken.schedules.emplace_back(word);
    } else if (word == "--") {
      after_dashes = true;
    } else if (word.starts_with("--orders=")) {
      taken.orders = value_of("--orders=");
    } else if (word.starts_with("--walks=")) {  // its name in earlier versions
      taken.orders = value_of("--walks=");
    } else if (word.starts_with("--rounds=")) {
      taken.rounds = std::stoul(value_of("--rounds="));
    } else if (word.starts_with("--top=")) {
      taken.top = std::stoul(value_of("--top="));
    } else if (word.starts_with("--batch_ms=")) {
      current_settings().batch_seconds = std::stod(value_of("--batch_ms=")) * 1e-3;
    } else if (word.starts_with("--shrink=")) {
      current_settings().shrink = checked_shrink(value_of("--shrink="));
    } else if (word == "--device=cpu") {
      current_settings().on_cpu = true;
    } else if (word.starts_with("--tune=")) {
      taken.tune = std::stod(value_of("--tune="));
    } else if (word == "--calibrate") {
      taken.calibrate = true;
    } else if (word == "--source") {
      taken.source = true;
    } else if (word.starts_with("--file=")) {
      const std::string path = value_of("--file=");
      std::ifstream file(path);
      std::istream& from = path == "-" ? std::cin : file;
      for (std::string line; std::getline(from, line);) {
        line.erase(std::min(line.find('#'), line.size()));
        line.erase(line.find_last_not_of(' ') + 1);
        if (!line.empty()) taken.schedules.push_back(line);
      }
    } else if (word == "all") {
      for (const workload& listed : workloads()) taken.workloads.emplace_back(listed.name);
    } else if (word.starts_with("-")) {
      return false;
    } else {
      taken.workloads.emplace_back(word);
    }
  }
  return taken.workloads.empty() == taken.calibrate && taken.rounds > 0;
}

/// Prints, also where output is a file or a pipe that keeps lines back.
template <class... Values>
void print_now(fmt::format_string<const Values&...> pattern, const Values&... values) {
  fmt::print(pattern, values...);
  std::fflush(stdout);
}

/// The candidates that can run; the others are counted, and printed if they were given by name.
std::vector<candidate> prepare(const workload_instance& instance, const options& chosen, device where) {
  const bool by_name = !chosen.schedules.empty();
  std::vector<std::string> texts = by_name ? chosen.schedules : schedule_grid(chosen.orders, where.is_cuda());
  texts.insert(texts.begin(), "");
  std::vector<candidate> runnable;
  std::size_t refused = 0;
  for (const std::string& text : texts) {
    candidate made{text, {}, 0, {}};
    try {
      made.timed.call = text.empty() ? instance.call : instance.call_with(sinter::parse_schedule(text));
      made.timed.wait = [where] { sinter::synchronize(where); };
      instance.poison();
      made.timed.call();
      sinter::synchronize(where);
      if (instance.is_poison_left()) {
        print_now("  LEAVES ELEMENTS UNWRITTEN: {}\n", text);
        continue;
      }
      made.calls = calls_per_batch(made.timed, current_settings().batch_seconds);
      print_now("  runs: {}\n", text.empty() ? "(chosen)" : text);
      runnable.push_back(std::move(made));
    } catch (const sinter::error& failure) {
      ++refused;
      if (by_name) print_now("  cannot run: {}\n", failure.what());
    }
  }
  if (refused != 0) print_now("  {} schedules cannot run this workload\n", refused);
  return runnable;
}

void measure(std::vector<candidate>& candidates, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (candidate& each : candidates) each.seconds.push_back(time_batch(each.timed, each.calls));
    print_now("  round {} of {}: {} schedules timed\n", round + 1, rounds, candidates.size());
    if (round != 1) continue;
    const double best =
        std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
          return a.time() < b.time();
        })->time();
    std::erase_if(candidates,
                  [best](const candidate& each) { return !each.text.empty() && each.time() > 1.15 * best; });
  }
  std::sort(candidates.begin(), candidates.end(), [](const candidate& a, const candidate& b) {
    const double one = a.time(), other = b.time();
    return one != other ? one < other : a.text < b.text;
  });
}

/// A workload, or a point of a sweep: "softmax/256".
workload_instance make_named(const std::string& name, device where) {
  constexpr struct {
    std::string_view name;
    workload_instance (*make)(std::int64_t elements, std::int64_t extent, device where);
  } sweeps[] = {{"softmax/", make_softmax_rows}, {"row_sum/", make_row_sums}, {"col_sum/", make_column_sums}};
  constexpr int swept_exponent = 28;
  for (const auto& sweep : sweeps)
    if (name.starts_with(sweep.name))
      return sweep.make(count_of(swept_exponent), std::stoll(name.substr(sweep.name.size())), where);
  return find_workload(name).make(where);
}

void tune(const std::string& name, const options& chosen, device where) {
  const workload_instance instance = make_named(name, where);
  print_now("{}: compiling the schedules, and running each once\n", name);
  std::vector<candidate> candidates = prepare(instance, chosen, where);
  if (candidates.empty()) return;

  double copy_bandwidth = 0;
  if (where.is_cuda()) {
    const side copy = large_cuda_copy();
    const std::size_t calls = calls_per_batch(copy, current_settings().batch_seconds);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < chosen.rounds; ++i) seconds.push_back(time_batch(copy, calls));
    copy_bandwidth = copy.bytes / median(seconds);
  }
  print_now("  timing {} schedules, {} rounds\n", candidates.size(), chosen.rounds);
  measure(candidates, chosen.rounds);

  std::size_t printed = 0;
  for (const candidate& each : candidates) {
    if (printed++ >= chosen.top && !each.text.empty()) continue;
    const double bandwidth = instance.bytes / each.time();
    fmt::print("  {:10.2f} us  {:6.3f} TB/s", each.time() * 1e6, bandwidth * 1e-12);
    if (copy_bandwidth > 0) fmt::print("  {:6.4f} of copy", bandwidth / copy_bandwidth);
    fmt::print("  {}\n", each.text.empty() ? "(chosen)" : each.text);
  }
  if (chosen.source) fmt::print("{}\n{}\n", instance.explain(), instance.source());
  std::fflush(stdout);
}

/// Tunes a workload as a program would.
void tune_as_program(const std::string& name, const options& chosen, device where) {
  const workload_instance instance = make_named(name, where);
  side timed;
  timed.call = instance.call;
  timed.wait = [where] { sinter::synchronize(where); };
  const auto microseconds = [&] {
    const std::size_t calls = calls_per_batch(timed, current_settings().batch_seconds);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < chosen.rounds; ++i) seconds.push_back(time_batch(timed, calls));
    return 1e6 * median(seconds);
  };
  const double before = microseconds();
  const sinter::tuning_report report = instance.tune({.budget = chosen.tune});
  std::size_t candidates = 0;
  for (const sinter::tuned_stage& each : report.stages) candidates += each.candidates;
  const double after = microseconds();
  print_now(
      "{{\"workload\": \"{}\", \"default_us\": {:.2f}, \"tuned_us\": {:.2f}, \"seconds\": {:.2f}, "
      "\"candidates\": {}, "
      "\"cold_gain\": {:.4f}}}\n",
      name, before, after, report.seconds_used, candidates, report.gain);
}

/// Prints the rates that were measured beside those of the table.
void calibrate(device where, std::size_t rounds) {
  const sinter::rates_of_gpu known = sinter::gpu_rates_of(sinter::runtime::facts_of(where));
  const sinter::gpu_rates measured = rates_from(measure_gpu(where, rounds), known.rates);
  using rate = std::int64_t sinter::gpu_rates::*;
  constexpr struct {
    const char* name;
    rate value;
  } rates[] = {{"megahertz", &sinter::gpu_rates::megahertz},
               {"instruction", &sinter::gpu_rates::instruction},
               {"integer", &sinter::gpu_rates::integer},
               {"float64", &sinter::gpu_rates::float64},
               {"special", &sinter::gpu_rates::special},
               {"lookup", &sinter::gpu_rates::lookup},
               {"memory_sector", &sinter::gpu_rates::memory_sector},
               {"block", &sinter::gpu_rates::block}};
  fmt::print("// the table has the row of {}{}\n", known.rates.model,
             known.is_estimated ? ", with what follows from this GPU's facts" : "");
  for (const auto& each : rates)
    fmt::print(".{} = {},  // in the table: {}\n", each.name, measured.*each.value, known.rates.*each.value);
  fmt::print(".sector = {},  // in the table, fitted: {} where several loops read rows, {} elsewhere\n",
             measured.others.sector, known.rates.rows_again.sector, known.rates.others.sector);
}

}  // namespace

int main(int count, char** words) {
  options chosen;
  try {
    if (!take_options(count, words, chosen)) {
      std::fputs(usage, stderr);
      return 2;
    }
    const bool on_cpu = current_settings().on_cpu;
    if (!on_cpu && !has_cuda()) {
      fmt::print("no CUDA device: {}\n", why_no_cuda());
      return 1;
    }
    if (chosen.calibrate) {
      if (on_cpu) throw std::invalid_argument("--calibrate measures a GPU: leave --device=cpu out");
      calibrate(device::cuda(0), chosen.rounds);
    }
    for (const std::string& name : chosen.workloads)
      (chosen.tune > 0 ? tune_as_program : tune)(name, chosen, on_cpu ? device::cpu() : device::cuda(0));
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 1;
  }
}
