// Benchmarks of fused functions, run in this process: their JSON has the counters that belong to them.
#include <sinter/benchmark.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

using namespace sinter;

namespace {

constexpr std::int64_t elements = 1 << 16;

const auto doubled = fuse("doubled", [](auto x) { return x + x; });
const auto sum_and_difference =
    fuse("sum_and_difference", [](auto x, auto y) { return std::tuple(x + y, x - y); });
const auto added = fuse("added", [](auto x, auto y) { return x + y; });

SINTER_BENCHMARK(doubled, full<float>({elements}, 1.f, device::cpu()));
SINTER_BENCHMARK(sum_and_difference, full<float>({elements}, 1.f, device::cpu()),
                 full<float>({elements}, 2.f, device::cpu()));

void on_its_own(benchmark::State& state) {
  const array<float, 1> x = full<float>({elements}, 1.f, device::cpu());
  array<float, 1> out({elements}, device::cpu());
  run_benchmark(state, doubled.into(out), x);
}
BENCHMARK(on_its_own)->UseManualTime();

/// The number behind `"name": ` in the part of the text that is the benchmark's; fails where there is none.
double number_of(const std::string& json, const std::string& benchmark, const std::string& name) {
  const std::size_t at = json.find("\"name\": \"" + benchmark);
  const std::size_t end = at == std::string::npos ? at : json.find('}', at);
  const std::string key = "\"" + name + "\": ";
  const std::size_t found = at == std::string::npos ? at : json.find(key, at);
  if (found == std::string::npos || found > end) {
    std::printf("%s has no %s in:\n%s\n", benchmark.c_str(), name.c_str(), json.c_str());
    std::exit(1);
  }
  return std::strtod(json.c_str() + found + key.size(), nullptr);
}

void check(bool right, const std::string& what) {
  if (right) return;
  std::printf("wrong: %s\n", what.c_str());
  std::exit(1);
}

/// Checks the counters of a benchmark whose calls move this many bytes.
void check_counters(const std::string& json, const std::string& benchmark, double bytes) {
  const auto number = [&](const char* name) { return number_of(json, benchmark, name); };
  check(number("kernels") == 1, benchmark + ": kernels");
  check(number("compiles") == 0, benchmark + ": compiles");
  check(number("of_copy") > 0, benchmark + ": of_copy");
  const double moved = number("bytes_per_second") * number("real_time") * 1e-9;
  check(moved > 0.98 * bytes && moved < 1.02 * bytes, benchmark + ": bytes of a call");
}

}  // namespace

int main(int, char** arguments) {
  array<float, 1> x = full<float>({elements}, 1.f, device::cpu());
  register_benchmark("copied", added, x, x + 1);
  register_benchmark("moved", doubled, std::move(x));
  // shapes that do not fit together
  register_benchmark("refused", added, full<float>({2}, 1.f, device::cpu()),
                     full<float>({3}, 1.f, device::cpu()));

  std::string format = "--benchmark_format=json", time = "--benchmark_min_time=0.01";
  char* settings[] = {arguments[0], format.data(), time.data(), nullptr};
  int count = 3;
  benchmark::Initialize(&count, settings);
  std::ostringstream written;
  std::streambuf* const before = std::cout.rdbuf(written.rdbuf());
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  std::cout.rdbuf(before);
  const std::string json = written.str();

  check(ran == 6, "six benchmarks run:\n" + json);
  constexpr double bytes = elements * sizeof(float);
  check_counters(json, "doubled/", 2 * bytes);
  check_counters(json, "sum_and_difference/", 4 * bytes);
  check_counters(json, "on_its_own/", 2 * bytes);
  check_counters(json, "copied/", 3 * bytes);
  check_counters(json, "moved/", 2 * bytes);
  check(json.find("\"error_occurred\": true") != std::string::npos, "a call that throws ends its benchmark");
  return 0;
}
