#pragma once
// A figure is a comparison: the subject and its limit are measured alternately, so that changes on the
// machine affect both.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {

/// Settings of all benchmarks of a run, from the command line; set before benchmarks are added.
struct settings {
  std::size_t pairs = 30;
  double batch_seconds = 0.02;
  static constexpr int max_shrink = 30;  ///< one element of the largest workload
  int shrink = 0;  ///< workloads have 2^shrink times fewer elements: for small devices, and for trial runs
  bool on_cpu = false;  ///< runs the device workloads on the CPU
};
settings& current_settings();

/// Something that can be called again and again.
struct side {
  std::function<void()> call;   ///< does the work once, or queues it
  std::function<void()> wait;   ///< waits until all queued work is done; empty where call() waits itself
  double bytes = 0;             ///< least traffic of one call
  std::size_t calls = 0;        ///< per batch; 0: as many as fill a batch
  bool warm = true;             ///< called before anything is timed
  bool host_time_only = false;  ///< the clock stops when all calls are queued
};

/// Seconds of one call in a batch of `calls`.
double time_batch(const side& timed, std::size_t calls);
/// Calls once or twice to warm up, then returns how many calls fill a batch of `batch_seconds`.
std::size_t calls_per_batch(const side& timed, double batch_seconds);

/// How a figure is judged. Reached means: the 95% lower bound of the mean ratio is at least 0.99 of the
/// figure.
enum class judged_by {
  bandwidth,      ///< ratio: subject's bandwidth over the limit's; the figure is that fraction
  added_seconds,  ///< ratio: limit's time and what may be added to it, over the subject's time
  seconds,        ///< ratio: the time allowed over the subject's time; the limit stands beside it
  times,          ///< ratio: the allowed multiple of the limit's time, over the subject's time
};

struct sides {
  side subject, limit;
};

/// One figure, with a goal or without.
struct comparison {
  std::string name;
  std::string limit_name;  ///< what the limit is, for the label
  judged_by judgement = judged_by::bandwidth;
  double goal = 0;  ///< a fraction, seconds or a multiple; 0: none is set
  /// Makes both sides; they live until the benchmark ends. Throwing is reported as this benchmark's error.
  std::function<sides()> make;
  std::size_t pairs = 0;     ///< 0: as the settings say
  bool scales = false;       ///< the settings may shrink it; a shrunk figure has no goal
  double extent = 0;         ///< the swept quantity: the figure's position in its plot
  double batch_seconds = 0;  ///< 0: as the settings say
};

/// Registers it with Google Benchmark, one iteration for each pair.
void add(comparison added);

/// The outcome of a benchmark that has run.
struct outcome {
  std::string name;
  double microseconds = 0, limit_microseconds = 0, ratio = 0, ratio_low = 0;
  double goal = 0, goal_ratio = 0;
  bool reached = false;
};
const std::vector<outcome>& outcomes();

}  // namespace sinter_bench
