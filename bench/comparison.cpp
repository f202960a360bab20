#include "comparison.hpp"

#include "statistics.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace sinter_bench {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

void wait_for(const side& queued) {
  if (queued.wait) queued.wait();
}

std::vector<outcome>& all_outcomes() {
  static std::vector<outcome> all;
  return all;
}

double ratio_of_pair(const comparison& judged, const sides& both, double subject, double limit) {
  switch (judged.judgement) {
    case judged_by::bandwidth:
      return both.subject.bytes / subject / (both.limit.bytes / limit);
    case judged_by::added_seconds:
      return (limit + judged.goal) / subject;
    case judged_by::seconds:
      return (judged.goal > 0 ? judged.goal : limit) / subject;
    case judged_by::times:
      return (judged.goal > 0 ? judged.goal : 1) * limit / subject;
  }
  return 0;
}

void report(benchmark::State& state, const comparison& judged, const sides& both,
            const std::vector<double>& subject, const std::vector<double>& limit) {
  std::vector<double> ratios(subject.size()), added(subject.size());
  for (std::size_t i = 0; i < subject.size(); ++i) {
    ratios[i] = ratio_of_pair(judged, both, subject[i], limit[i]);
    added[i] = subject[i] - limit[i];
  }
  const confident_mean ratio = mean_ratio_of(ratios);
  const double time = median(subject), limit_time = median(limit);
  const double figure = judged.judgement == judged_by::bandwidth ? judged.goal : 1;
  const bool reached = ratio.low >= 0.99 * figure;

  state.counters["us"] = time * 1e6;
  state.counters["limit_us"] = limit_time * 1e6;
  if (judged.judgement == judged_by::added_seconds) {
    state.counters["added_us"] = median(added) * 1e6;
    if (judged.goal > 0) state.counters["goal_us"] = judged.goal * 1e6;
  } else if (judged.judgement == judged_by::seconds) {
    state.counters["goal_us"] = judged.goal * 1e6;
    state.counters["of_limit"] = limit_time / time;
  } else if (judged.judgement == judged_by::times) {
    state.counters["times"] = time / limit_time;
  }
  if (judged.extent > 0) state.counters["extent"] = judged.extent;
  if (both.subject.bytes > 0) {
    state.counters["bytes"] = both.subject.bytes;
    state.counters["TB/s"] = both.subject.bytes / time * 1e-12;
    state.counters["limit_TB/s"] = both.limit.bytes / limit_time * 1e-12;
  }
  state.counters["ratio"] = ratio.mean;
  state.counters["ratio_low95"] = ratio.low;
  if (judged.goal > 0) {
    state.counters["goal_ratio"] = figure;
    state.counters["reached"] = reached ? 1 : 0;
  }
  state.SetLabel("beside " + judged.limit_name);
  all_outcomes().push_back({judged.name, time * 1e6, limit_time * 1e6, ratio.mean, ratio.low, judged.goal,
                            figure, judged.goal > 0 && reached});
}

void run(benchmark::State& state, const comparison& judged) {
  // An exception fails this benchmark, not the program.
  try {
    const sides both = judged.make();
    const double batch = judged.batch_seconds > 0 ? judged.batch_seconds : current_settings().batch_seconds;
    const std::size_t calls = calls_per_batch(both.subject, batch);
    const std::size_t limit_calls = calls_per_batch(both.limit, batch);
    std::vector<double> subject, limit;
    for ([[maybe_unused]] auto _ : state) {
      // The side that goes first alternates, so that a slow drift affects both alike.
      const bool limit_first = subject.size() % 2 == 0;
      if (limit_first) limit.push_back(time_batch(both.limit, limit_calls));
      subject.push_back(time_batch(both.subject, calls));
      if (!limit_first) limit.push_back(time_batch(both.limit, limit_calls));
      state.SetIterationTime(subject.back());
    }
    report(state, judged, both, subject, limit);
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

}  // namespace

settings& current_settings() {
  static settings only;
  return only;
}

const std::vector<outcome>& outcomes() { return all_outcomes(); }

double time_batch(const side& timed, std::size_t calls) {
  wait_for(timed);
  const auto begin = clock::now();
  for (std::size_t i = 0; i < calls; ++i) timed.call();
  if (!timed.host_time_only) wait_for(timed);
  const double seconds = seconds_since(begin);
  if (timed.host_time_only) wait_for(timed);
  return seconds / static_cast<double>(calls);
}

std::size_t calls_per_batch(const side& timed, double batch_seconds) {
  if (timed.warm) {
    // The first call compiles and loads; the next ones bring caches, clocks and pages into the state of a
    // long run.
    time_batch(timed, 1);
    const std::size_t few = timed.calls != 0 ? std::min<std::size_t>(timed.calls, 100) : 2;
    time_batch(timed, few);
  }
  if (timed.calls != 0) return timed.calls;
  const double one = std::max(time_batch(timed, 3), 1e-9);
  return static_cast<std::size_t>(std::clamp(batch_seconds / one, 2.0, 4000.0));
}

void add(comparison added) {
  // The goal applies to the full size only.
  if (current_settings().shrink != 0 && added.scales) added.goal = 0;
  const std::size_t pairs = added.pairs != 0 ? added.pairs : current_settings().pairs;
  const std::string name = added.name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [moved = std::move(added)](benchmark::State& state) { run(state, moved); })
      ->UseManualTime()
      ->Iterations(static_cast<benchmark::IterationCount>(pairs))
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace sinter_bench
