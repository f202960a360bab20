// sinter_bench: every figure that can be measured from C++, each beside its limit.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cpu_loops.hpp"
#include "limits/cub_limits.hpp"
#include "limits/cuda_limits.hpp"

#include <sinter/runtime/device_facts.hpp>
#include <sinter/sinter.hpp>

#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sinter_bench;

constexpr const char* usage = R"(sinter_bench: measures Sinter beside what the machine allows.

  --groups=LIST   of pointwise, reductions, limits, sizes, row_lengths, column_counts, reduction_sizes, calls, foreign,
                  first, cpu, bodies, combining, parts, gathers, scatters, products, stencils, order, draws, cache; all
                  of them unless given
  --pairs=N       turns that subject and limit take (30)
  --batch_ms=X    length of one turn (20)
  --shrink=N      workloads have 2^N times fewer elements: for small devices
  --device=cpu    runs the device workloads and sweeps on the CPU, for trying them out

and everything that Google Benchmark understands, such as --benchmark_filter=REGEX and --benchmark_out=FILE.
)";

struct options {
  std::string groups =
      "pointwise,reductions,limits,sizes,row_lengths,column_counts,reduction_sizes,calls,foreign,first,cpu,"
      "bodies,combining,parts,gathers,scatters,products,stencils,order,draws,cache";
  bool has(std::string_view group) const {
    return ("," + groups + ",").find("," + std::string(group) + ",") != std::string::npos;
  }
};

/// Removes this program's own options from the arguments; false if a value is invalid.
bool take_options(std::vector<char*>& arguments, options& taken) {
  settings& shared = current_settings();
  std::vector<char*> rest;
  bool good = true;
  for (char* const argument : arguments) {
    const std::string_view word = argument;
    const auto value_of = [&](std::string_view flag) -> const char* {
      return word.starts_with(flag) ? argument + flag.size() : nullptr;
    };
    const auto parse = [&](const char* text, auto& number) {
      const auto [stop, failure] = std::from_chars(text, text + std::strlen(text), number);
      good = good && failure == std::errc() && *stop == 0;
    };
    if (const char* value = value_of("--groups=")) {
      taken.groups = value;
    } else if (const char* value = value_of("--pairs=")) {
      parse(value, shared.pairs);
      good = good && shared.pairs > 0;
    } else if (const char* value = value_of("--batch_ms=")) {
      double milliseconds = 0;
      parse(value, milliseconds);
      good = good && milliseconds > 0;
      shared.batch_seconds = milliseconds * 1e-3;
    } else if (const char* value = value_of("--shrink=")) {
      parse(value, shared.shrink);
      good = good && shared.shrink >= 0 && shared.shrink <= settings::max_shrink;
    } else if (word == "--device=cpu") {
      shared.on_cpu = true;
    } else if (word == "--help" || word == "-h") {
      good = false;
    } else {
      rest.push_back(argument);
    }
  }
  arguments = rest;
  return good;
}

void describe_machine() {
  benchmark::AddCustomContext("sinter_cpu", sinter::device::cpu().name());
  benchmark::AddCustomContext("sinter_cpu_threads", std::to_string(sinter::runtime::cpu_threads()));
  benchmark::AddCustomContext("sinter_cpu_loops", best_cpu_loops().name);
  benchmark::AddCustomContext("sinter_pairs", std::to_string(current_settings().pairs));
  if (current_settings().shrink != 0)
    benchmark::AddCustomContext("sinter_shrink", std::to_string(current_settings().shrink));
  if (has_cuda()) {
    benchmark::AddCustomContext("sinter_device", sinter::device::cuda(0).name());
    benchmark::AddCustomContext("sinter_driver", cuda_driver_version());
    benchmark::AddCustomContext("sinter_nvrtc", nvrtc_version_text());
  }
}

/// The short table at the end of a run.
void print_outcomes() {
  if (outcomes().empty()) return;
  std::printf("\n%-38s %12s %12s %8s %8s %8s\n", "", "us", "limit us", "ratio", "low 95%", "goal");
  for (const outcome& row : outcomes()) {
    std::printf("%-38s %12.3f %12.3f %8.4f %8.4f", row.name.c_str(), row.microseconds, row.limit_microseconds,
                row.ratio, row.ratio_low);
    if (row.goal > 0)
      std::printf(" %8.3f %s\n", row.goal_ratio, row.reached ? "reached" : "NOT reached");
    else
      std::printf("\n");
  }
}

}  // namespace

int main(int count, char** words) {
  // First calls must compile; the benchmarks of the cache set a directory of their own.
  ::setenv("SINTER_CACHE", "off", 1);
  std::vector<char*> arguments(words, words + count);
  options chosen;
  if (!take_options(arguments, chosen)) {
    std::fputs(usage, stderr);
    return 2;
  }
  int rest = static_cast<int>(arguments.size());
  benchmark::Initialize(&rest, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(rest, arguments.data())) {
    std::fputs(usage, stderr);
    return 2;
  }

  describe_machine();
  const bool has_device = has_cuda() || current_settings().on_cpu;
  if (!has_device) std::printf("no CUDA device, its benchmarks are left out: %s\n", why_no_cuda().c_str());
  if (has_cuda() && !why_no_cub().empty())
    std::printf("no CUB, full sums stand beside a copy: %s\n", why_no_cub().c_str());
  if (!has_cpu_compiler())
    std::printf("no CPU compiler beside libsinter, the CPU's benchmarks are left out\n");
  if (has_device && chosen.has("pointwise")) add_device_pointwise();
  if (has_device && chosen.has("reductions")) add_device_reductions();
  if (has_cuda() && !current_settings().on_cpu && chosen.has("limits")) add_reduction_limits();
  if (has_device && chosen.has("sizes")) add_sizes();
  if (has_device && chosen.has("row_lengths")) add_row_lengths();
  if (has_device && chosen.has("column_counts")) add_column_counts();
  if (has_device && chosen.has("reduction_sizes")) add_reduction_sizes();
  if (chosen.has("calls")) add_host_calls();
  if (chosen.has("foreign")) add_foreign_tensors();
  if (chosen.has("first")) add_first_calls();
  if (chosen.has("cpu")) {
    add_cpu_pointwise();
    add_cpu_reductions();
  }
  if (chosen.has("bodies")) add_bodies();
  if (chosen.has("combining")) add_combining();
  if (chosen.has("parts")) add_parts();
  if (chosen.has("gathers")) add_gathers();
  if (chosen.has("scatters")) add_scatters();
  if (chosen.has("products")) add_products();
  if (chosen.has("stencils")) add_stencils();
  if (chosen.has("order")) add_order();
  if (chosen.has("draws")) add_draws();
  if (chosen.has("cache")) add_cache_layers();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  print_outcomes();
}
