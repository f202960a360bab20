// Pointwise workloads on the CPU, each beside a loop written by hand for this processor, with the bandwidth
// of plain copies as the floor under both.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cpu_loops.hpp"
#include "random_data.hpp"

#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace sinter_bench {
namespace {

using namespace sinter;
using row = array<float, 1>;

std::int64_t count_of_workload() { return std::int64_t{1} << std::max(6, 25 - current_settings().shrink); }

/// Two inputs and a result for each side, kept until both sides are gone.
struct arrays {
  explicit arrays(std::int64_t count)
      : x(random_array<float, 1>({count}, device::cpu())),
        y(random_array<float, 1>({count}, device::cpu())),
        out({count}, device::cpu()),
        by_hand({count}, device::cpu()) {
    // Touches all pages before anything is timed.
    poison(out.data(), static_cast<std::size_t>(count) * sizeof(float), device::cpu());
    poison(by_hand.data(), static_cast<std::size_t>(count) * sizeof(float), device::cpu());
  }
  row x, y, out, by_hand;
};

/// Checks that the results of both sides agree to about a millionth.
void check_agreement(const arrays& computed) {
  for (std::int64_t i = 0; i < computed.out.size(); ++i) {
    const float ours = computed.out.data()[i], other = computed.by_hand.data()[i];
    const bool equal =
        std::isnan(other) ? std::isnan(ours) : std::abs(ours - other) <= 2e-6f * (1 + std::abs(other));
    if (!equal)
      throw std::runtime_error("Sinter and the loop by hand disagree at element " + std::to_string(i));
  }
}

/// `function` through Sinter, `loop(first, last, arrays)` on all threads.
template <class Function, class Loop>
sides beside_loop(const Function& function, const Loop& loop) {
  const std::int64_t count = count_of_workload();
  auto held = std::make_shared<arrays>(count);
  sides made;
  made.subject.call = [held, function] { function.into(held->out)(held->x, held->y); };
  made.limit.call = [held, loop, count] {
    on_all_threads(static_cast<std::size_t>(count),
                   [&](std::size_t first, std::size_t last) { loop(first, last, *held); });
  };
  made.subject.bytes = made.limit.bytes = 3.0 * static_cast<double>(count) * sizeof(float);
  made.subject.call();
  made.limit.call();
  check_agreement(*held);
  return made;
}

}  // namespace

bool has_cpu_compiler() {
  try {
    return !runtime::cpu_compiler_version().empty();
  } catch (const error&) {
    return false;
  }
}

void add_cpu_pointwise() {
  if (!has_cpu_compiler()) return;
  const cpu_loops* const loops = &best_cpu_loops();
  const std::string by_hand = std::string("a loop, ") + loops->name;
  add({.name = "cpu/memcpy_2^25", .limit_name = "a copy with streaming stores", .make = [] {
         return sides{cpu_memcpy(), large_cpu_copy()};
       }});
  add({.name = "cpu/axpy_2^25",
       .limit_name = by_hand,
       .judgement = judged_by::seconds,
       .goal = 9.5e-3,
       .make =
           [loops] {
             return beside_loop(fuse("axpy", [](auto x, auto y) { return 2.5 * x + y; }),
                                [loops](std::size_t first, std::size_t last, arrays& with) {
                                  loops->axpy(2.5f, with.x.data(), with.y.data(), with.by_hand.data(), first,
                                              last);
                                });
           },
       .scales = true});
  add({.name = "cpu/where_sin_exp_sqrt_2^25",
       .limit_name = by_hand,
       .judgement = judged_by::seconds,
       .goal = 14e-3,
       .make =
           [loops] {
             return beside_loop(
                 fuse("where_sin_exp", [](auto a, auto b) { return where(a > b, sin(a) * exp(b), sqrt(a)); }),
                 [loops](std::size_t first, std::size_t last, arrays& with) {
                   loops->sin_exp(with.x.data(), with.y.data(), with.by_hand.data(), first, last);
                 });
           },
       .scales = true});
}

side cpu_copy(double traffic) {
  const auto count = std::max<std::int64_t>(64, static_cast<std::int64_t>(traffic / 2 / sizeof(float)));
  auto from = std::make_shared<row>(random_array<float, 1>({count}, device::cpu()));
  auto to = std::make_shared<row>(shape<1>(count), device::cpu());
  side made;
  made.call = [from, to, count, loops = &best_cpu_loops()] {
    on_all_threads(static_cast<std::size_t>(count), [&](std::size_t first, std::size_t last) {
      loops->copy(from->data(), to->data(), first, last);
    });
  };
  made.bytes = 2.0 * static_cast<double>(count) * sizeof(float);
  return made;
}

side large_cpu_copy() { return cpu_copy(2.0 * static_cast<double>(count_of_workload()) * sizeof(float)); }

side cpu_memcpy() {
  const std::int64_t count = count_of_workload();
  auto from = std::make_shared<row>(random_array<float, 1>({count}, device::cpu()));
  auto to = std::make_shared<row>(shape<1>(count), device::cpu());
  side made;
  made.call = [from, to, count] {
    on_all_threads(static_cast<std::size_t>(count), [&](std::size_t first, std::size_t last) {
      std::memcpy(to->data() + first, from->data() + first, (last - first) * sizeof(float));
    });
  };
  made.bytes = 2.0 * static_cast<double>(count) * sizeof(float);
  return made;
}

}  // namespace sinter_bench
