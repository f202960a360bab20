#pragma once
// The workloads of peers/workloads.py, as Sinter functions: one table that the benchmarks and the tuner
// share.

#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/tuning.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {

/// A workload with its data: random inputs, and results that every call writes again.
struct workload_instance {
  double bytes = 0;  ///< least traffic: each input read once, each result written once
  std::function<void()> call;
  std::function<std::function<void()>(const sinter::schedule&)>
      call_with;  ///< the same under another schedule
  std::function<sinter::tuning_report(const sinter::tune_options&)> tune;
  std::function<std::string()> source, explain;
  std::function<void()> poison;          ///< fills the results with a pattern that no call writes
  std::function<bool()> is_poison_left;  ///< whether some of the pattern is left
};

struct workload {
  const char* name;
  double goal;       ///< fraction of a large copy's bandwidth that Sinter must reach
  double best_peer;  ///< the same for the fastest peer, measured on an H200 on 2026-11-21; 0: none
  workload_instance (*make)(sinter::device where);
  double max_seconds = 0;  ///< of one call, instead of the fraction: for workloads bound by arithmetic
};

const std::vector<workload>& workloads();            ///< pointwise
const std::vector<workload>& reduction_workloads();  ///< with a reduction
/// Throws std::runtime_error, which lists the known names, if there is none.
const workload& find_workload(std::string_view name);

/// axpy over any number of elements.
workload_instance make_axpy(std::int64_t count, sinter::device where);

/// Calls once with poisoned results; throws std::runtime_error if an element was not written.
void check_written(const workload_instance& checked, sinter::device where);

}  // namespace sinter_bench
