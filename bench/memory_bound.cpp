// Memory-bound calls on the CPU, of arrays that fit the caches and of arrays that do not, beside loops by
// hand (limits/cpu_loops.hpp) on as many threads: those whose results bypass the caches and those whose
// results go to them, whichever are faster at that size. Prints the quotient of the times, the loop's over
// Sinter's: above 1 Sinter is faster.
//
//   sinter_memory_bound [--operations=axpy,sum] [--sizes=16,20,27] [--pairs=21]
//                       [--times]      each figure is followed by the microseconds: Sinter's, and those of
//                                      the loops with results in the caches and past them

#include "argument_list.hpp"
#include "limits/cpu_loops.hpp"
#include "statistics.hpp"

#include <fmt/format.h>

#include <sinter/runtime/device_facts.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter_bench;
using row = array<float, 1>;
using matrix = array<float, 2>;

struct settings {
  std::vector<std::string> operations;                                          ///< empty: all
  std::vector<unsigned> sizes{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};  ///< powers of two
  unsigned pairs = 21;
  bool times = false;
};

settings read(int count, char** arguments) {
  settings made;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto value = argument.substr(std::min(argument.size(), argument.find('=') + 1));
    if (argument.starts_with("--operations=")) {
      made.operations = sinter_bench::split_list(value);
    } else if (argument.starts_with("--sizes=")) {
      made.sizes.clear();
      for (const std::string& part : sinter_bench::split_list(value))
        made.sizes.push_back(static_cast<unsigned>(std::stoul(part)));
    } else if (argument.starts_with("--pairs=")) {
      made.pairs = static_cast<unsigned>(std::stoul(std::string(value)));
    } else if (argument == "--times") {
      made.times = true;
    } else {
      fmt::print(stderr, "sinter_memory_bound: unknown argument {}\n", argument);
      std::exit(2);
    }
  }
  return made;
}

row random_row(std::int64_t count) {
  row made({count}, device::cpu());
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    made.data()[i] = 0.5f + static_cast<float>(state >> 8) * 0x1p-24f;
  }
  return made;
}

double seconds_of(const std::function<void()>& call, unsigned calls) {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

/// The sides of a comparison: Sinter, then the loops whose results go to the caches and those that bypass
/// them.
using three_calls = std::array<std::function<void()>, 3>;

void expect_near(const row& ours, const row& theirs, std::string_view operation) {
  for (std::int64_t i = 0; i < ours.size(); ++i) {
    const float a = ours.data()[i], b = theirs.data()[i];
    if (std::abs(a - b) <= 1e-5f * (std::abs(b) + 1e-3f)) continue;
    fmt::print(stderr, "{}: element {} is {} here and {} in the loop\n", operation, i, a, b);
    std::exit(1);
  }
}

std::string figure(const three_calls& calls, const settings& chosen) {
  const double once = seconds_of(calls[0], 3);
  const auto repeats = static_cast<unsigned>(std::clamp(2e-3 / once, 1.0, 1000.0));
  std::array<std::vector<double>, 3> taken;
  for (unsigned pair = 0; pair < chosen.pairs; ++pair)
    for (unsigned turn = 0; turn < 3; ++turn) {
      const unsigned side = (turn + pair) % 3;
      std::this_thread::sleep_for(std::chrono::milliseconds(15));  // until the other side's threads sleep
      seconds_of(calls[side], 3);  // its arrays are where calls of the same side leave them
      taken[side].push_back(seconds_of(calls[side], repeats));
    }
  const auto& limit = median(taken[1]) < median(taken[2]) ? taken[1] : taken[2];
  std::vector<double> quotients;
  for (unsigned pair = 0; pair < chosen.pairs; ++pair) quotients.push_back(limit[pair] / taken[0][pair]);
  std::string text = fmt::format("{:.2f}", median(quotients));
  if (chosen.times)
    for (const auto& side : taken) text += fmt::format(" {:.0f}", median(side) * 1e6);
  return text;
}

const cpu_loops& loops_of(unsigned side) {
  return best_cpu_loops(side == 1 ? results_of_loops::go_to_caches : results_of_loops::bypass_caches);
}

void on_threads(std::int64_t count, const auto& body) {
  on_all_threads(static_cast<std::size_t>(count), body);
}

std::string copies(std::int64_t count, const settings& chosen) {
  row x = random_row(count), ours({count}, device::cpu()), theirs({count}, device::cpu());
  float* result = theirs.data();  // once they are compared both sides write to the same memory
  const auto function = fuse([](auto from) { return from; });
  three_calls calls{[&] { function.into(ours)(x); }};
  for (const unsigned side : {1u, 2u})
    calls[side] = [&, side] {
      on_threads(count, [&](std::size_t first, std::size_t last) {
        loops_of(side).copy(x.data(), result, first, last);
      });
    };
  for (const auto& call : calls) call();
  expect_near(ours, theirs, "copy");
  result = ours.data();
  return figure(calls, chosen);
}

std::string axpys(std::int64_t count, const settings& chosen) {
  row x = random_row(count), y = random_row(count), ours({count}, device::cpu()),
      theirs({count}, device::cpu());
  float* result = theirs.data();
  const auto function = fuse([](auto a, auto b) { return 2.5f * a + b; });
  three_calls calls{[&] { function.into(ours)(x, y); }};
  for (const unsigned side : {1u, 2u})
    calls[side] = [&, side] {
      on_threads(count, [&](std::size_t first, std::size_t last) {
        loops_of(side).axpy(2.5f, x.data(), y.data(), result, first, last);
      });
    };
  for (const auto& call : calls) call();
  expect_near(ours, theirs, "axpy");
  result = ours.data();
  return figure(calls, chosen);
}

std::string updates(std::int64_t count, const settings& chosen) {
  row ours = random_row(count), theirs = random_row(count);
  float* to = theirs.data();
  const auto function = fuse([](auto x) { return 1.0001f * x + 0.5f; });
  three_calls calls{[&] { function.into(ours)(ours); }};
  for (const unsigned side : {1u, 2u})
    calls[side] = [&, side] {
      on_threads(count, [&](std::size_t first, std::size_t last) { loops_of(side).grow(to, first, last); });
    };
  calls[0]();
  calls[1]();
  expect_near(ours, theirs, "update");
  to = ours.data();
  return figure(calls, chosen);
}

std::string sums(std::int64_t count, const settings& chosen) {
  row x = random_row(count);
  array<float, 0> ours(shape<0>{}, device::cpu());
  const auto function = fuse([](auto from) { return sum(from, axis<0>); });
  float by_hand = 0;
  three_calls calls{[&] { function.into(ours)(x); }};
  for (const unsigned side : {1u, 2u})
    calls[side] = [&, side] {
      std::atomic<float> total = 0;
      on_threads(count, [&](std::size_t first, std::size_t last) {
        total += loops_of(side).sum(x.data(), first, last);
      });
      by_hand = total;
    };
  for (const auto& call : calls) call();
  if (std::abs(*ours.data() - by_hand) > 1e-3f * by_hand) {
    fmt::print(stderr, "sum: {} here and {} in the loop\n", *ours.data(), by_hand);
    std::exit(1);
  }
  return figure(calls, chosen);
}

std::string softmaxes(std::int64_t count, const settings& chosen) {
  const std::int64_t rows = count / static_cast<std::int64_t>(softmax_length);
  row x = random_row(count), ours({count}, device::cpu()), theirs({count}, device::cpu());
  const shape<2> extents(rows, static_cast<std::int64_t>(softmax_length));
  const view<float, 2> result(ours.data(), extents, device::cpu());
  const view<const float, 2> operand(x.data(), extents, device::cpu());
  float* to = theirs.data();
  const auto function = fuse([](auto from) { return softmax(from, axis<1>); });
  three_calls calls{[&] { function.into(result)(operand); }};
  for (const unsigned side : {1u, 2u})
    calls[side] = [&, side] {
      // shares are multiples of 64
      on_threads(rows * 64, [&](std::size_t first, std::size_t last) {
        loops_of(side).softmax(x.data(), to, first / 64, last / 64);
      });
    };
  for (const auto& call : calls) call();
  expect_near(ours, theirs, "softmax");
  to = ours.data();
  return figure(calls, chosen);
}

constexpr struct {
  std::string_view name;
  std::string (*figure)(std::int64_t count, const settings& chosen);
} workloads[] = {
    {"copy", copies}, {"axpy", axpys}, {"update", updates}, {"sum", sums}, {"softmax", softmaxes}};

}  // namespace

int main(int count, char** arguments) {
  const settings chosen = read(count, arguments);
  fmt::print("{} threads, loops: {}\n\n| operation |", runtime::cpu_threads(), best_cpu_loops().name);
  for (const unsigned size : chosen.sizes) fmt::print(" 2^{} |", size);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < chosen.sizes.size(); ++i) fmt::print("--:|");
  fmt::print("\n");
  for (const auto& workload : workloads) {
    if (!chosen.operations.empty() &&
        std::ranges::find(chosen.operations, workload.name) == chosen.operations.end())
      continue;
    fmt::print("| {} |", workload.name);
    for (const unsigned size : chosen.sizes) {
      fmt::print(" {} |", workload.figure(std::int64_t{1} << size, chosen));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}
