// The workloads on the device, each beside a large copy; and axpy over all sizes.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cuda_limits.hpp"
#include "workloads/workloads.hpp"

#include <sinter/runtime/stream.hpp>

#include <fmt/format.h>

namespace sinter_bench {
namespace {

using sinter::device;

device chosen_device() { return current_settings().on_cpu ? device::cpu() : device::cuda(0); }

side side_of(const workload_instance& instance) {
  side made;
  made.call = instance.call;
  made.wait = [where = chosen_device()] { sinter::synchronize(where); };
  made.bytes = instance.bytes;
  return made;
}

side large_copy() { return current_settings().on_cpu ? large_cpu_copy() : large_cuda_copy(); }
side copy_of(double traffic) { return current_settings().on_cpu ? cpu_copy(traffic) : cuda_copy(traffic); }

/// Each workload of a list beside a large copy.
void add_each(const std::vector<workload>& list, const std::string& prefix) {
  for (const workload& listed : list)
    add({.name = prefix + listed.name,
         .limit_name = listed.best_peer > 0
                           ? fmt::format("a large copy (best peer elsewhere: {:.2f})", listed.best_peer)
                           : "a large copy",
         .judgement = listed.max_seconds > 0 ? judged_by::seconds : judged_by::bandwidth,
         .goal = current_settings().on_cpu ? 0
                 : listed.max_seconds > 0  ? listed.max_seconds
                                           : listed.goal,
         .make =
             [make = listed.make] {
               const workload_instance instance = make(chosen_device());
               check_written(instance, chosen_device());
               return sides{side_of(instance), large_copy()};
             },
         .scales = true});
}

}  // namespace

void add_device_pointwise() {
  const std::string prefix = current_settings().on_cpu ? "cpu/" : "cuda/";
  // The limit against itself: how far two equal figures may differ.
  add({.name = prefix + "copy", .limit_name = "the same copy", .make = [] {
         return sides{large_copy(), large_copy()};
       }});
  add_each(workloads(), prefix);
}

void add_device_reductions() {
  add_each(reduction_workloads(), current_settings().on_cpu ? "cpu/" : "cuda/");
}

void add_sizes() {
  const std::string prefix = current_settings().on_cpu ? "cpu/" : "cuda/";
  for (int exponent = 10; exponent <= 30; exponent += 2) {
    const int shrunk = exponent - current_settings().shrink;
    if (shrunk < 10) continue;
    add({.name = fmt::format("{}axpy_sizes/2^{}", prefix, shrunk),
         .limit_name = "a copy that moves as many bytes",
         .make =
             [shrunk] {
               const workload_instance instance = make_axpy(std::int64_t{1} << shrunk, chosen_device());
               return sides{side_of(instance), copy_of(instance.bytes)};
             },
         .pairs = 5});
  }
}

}  // namespace sinter_bench
