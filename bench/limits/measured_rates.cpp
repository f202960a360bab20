#include "measured_rates.hpp"

#include "../comparison.hpp"
#include "../statistics.hpp"

#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr int warp = 32;
constexpr std::int64_t floats_of_sector = sector_bytes / sizeof(float);

side timed(std::function<void()> call, device where) {
  side made;
  made.call = std::move(call);
  made.wait = [where] { synchronize(where); };
  return made;
}

/// Seconds that the longer call takes more than the shorter one, in turns.
double difference(const side& shorter, const side& longer, std::size_t rounds) {
  constexpr double batch_seconds = 5e-3;
  const std::size_t of_shorter = calls_per_batch(shorter, batch_seconds),
                    of_longer = calls_per_batch(longer, batch_seconds);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < rounds; ++i)
    seconds.push_back(time_batch(longer, of_longer) - time_batch(shorter, of_shorter));
  return median(seconds);
}

const schedule vectors = parse_schedule("rows vector=4 threads_along=128");
const schedule elements = parse_schedule("rows threads_along=128");
const schedule one_warp = parse_schedule("rows threads_along=32");
const schedule reduction = parse_schedule("row_reduction vector=4 steps=4 threads_along=256 whole_rows=1");

template <int Count>
constexpr auto additions = [](auto x, auto step) {
  auto y = x;
  for (int i = 0; i < Count; ++i) y = y + step;
  return y;
};
template <int Count>
constexpr auto integers = [](auto x, auto step) {
  auto y = x;
  for (int i = 0; i < Count / 2; ++i) y = (y + step) ^ x;
  return y;
};
template <int Count>
constexpr auto approximations = [](auto x) {
  auto y = x;
  for (int i = 0; i < Count; ++i) y = rsqrt(y);
  return y;
};
/// Each lane's element lies in a cache line of its own.
template <int Count>
constexpr auto scattered_loads = [](auto table, auto column) {
  constexpr int floats_of_line = 32;
  auto y = column(all(), newaxis) + table(newaxis, slice(0, end, floats_of_line));
  for (int i = 1; i < Count; ++i) y = y + table(newaxis, slice(i, end, floats_of_line));
  return y;
};
/// Every row reads all of `x`, which the second-level cache holds and the first-level caches do not.
constexpr auto weighted_sums = [](auto x, auto weights) {
  return sum(x(newaxis, all()) * weights(all(), newaxis), axis<1>);
};
constexpr auto plus_one = [](auto x) { return x + 1.0f; };

class gpu_probes {
 public:
  gpu_probes(device where, std::size_t rounds) : where_(where), rounds_(rounds) {}

  seconds_of_each measure() {
    seconds_of_each made;
    measure_instructions(made);
    measure_loads(made);
    measure_blocks(made);
    return made;
  }

 private:
  template <class Short, class Long>
  double difference_of(const Short& shorter, const Long& longer) {
    return difference(timed(shorter, where_), timed(longer, where_), rounds_);
  }
  /// Of two functions of the same operands.
  template <class Few, class Many, class Out, class... Operands>
  double difference_of_functions(const Few& few, const Many& many, const schedule& chosen, Out& out,
                                 const Operands&... operands) {
    return difference_of([&] { few.with(chosen).into(out)(operands...); },
                         [&] { many.with(chosen).into(out)(operands...); });
  }

  /// Of chains of operations on as many elements.
  void measure_instructions(seconds_of_each& made) {
    constexpr int few = 192, many = 576;  // as long as their memory takes, and longer
    constexpr std::int64_t count = 1 << 24;
    const double warps = static_cast<double>(many - few) * count / warp;
    const array<float, 1> x = full<float>(count, 1.0f, where_), step = full<float>(count, 0.5f, where_);
    array<float, 1> out(shape<1>(count), where_);
    made.add = difference_of_functions(fuse("rates_add_few", additions<few>),
                                       fuse("rates_add_many", additions<many>), vectors, out, x, step) /
               warps;
    made.approximation =
        difference_of_functions(fuse("rates_root_few", approximations<few>).fast(),
                                fuse("rates_root_many", approximations<many>).fast(), vectors, out, x) /
        warps;
    const array<std::int32_t, 1> i = full<std::int32_t>(count, 1, where_),
                                 j = full<std::int32_t>(count, 3, where_);
    array<std::int32_t, 1> integer_out(shape<1>(count), where_);
    made.integer =
        difference_of_functions(fuse("rates_integer_few", integers<few>),
                                fuse("rates_integer_many", integers<many>), vectors, integer_out, i, j) /
        warps;
    const array<double, 1> u = full<double>(count, 1.0, where_), v = full<double>(count, 0.5, where_);
    array<double, 1> double_out(shape<1>(count), where_);
    made.float64_add =
        difference_of_functions(fuse("rates_double_few", additions<few>),
                                fuse("rates_double_many", additions<many>), elements, double_out, u, v) /
        warps;
  }

  void measure_loads(seconds_of_each& made) {
    {
      constexpr int few = 2, many = 10;
      constexpr std::int64_t rows = 1 << 14, columns = 1 << 9;
      const array<float, 1> table = full<float>(columns * warp, 1.0f, where_),
                            column = full<float>(rows, 1.0f, where_);
      array<float, 2> out({rows, columns}, where_);
      made.lookup = difference_of_functions(fuse("rates_lookup_few", scattered_loads<few>),
                                            fuse("rates_lookup_many", scattered_loads<many>), elements, out,
                                            table, column) /
                    (static_cast<double>(many - few) * rows * columns);
    }
    {
      constexpr std::int64_t rows = 1 << 11, few = 1 << 19, many = 1 << 20;
      const array<float, 1> x = full<float>(many, 1.0f, where_), weights = full<float>(rows, 1.0f, where_);
      array<float, 1> out(shape<1>(rows), where_);
      const auto sums = fuse("rates_sector", weighted_sums);
      const auto of = [&](std::int64_t length) {
        return [&, length] { sums.with(reduction).into(out)(x(slice(0, length)), weights); };
      };
      made.sector =
          difference_of(of(few), of(many)) / (static_cast<double>(many - few) * rows / floats_of_sector);
    }
    {
      constexpr std::int64_t few = 1 << 27, many = 1 << 28;
      const array<float, 1> x = full<float>(many, 1.0f, where_);
      array<float, 1> out(shape<1>(many), where_);
      const auto copy = fuse("rates_memory", plus_one);
      const auto of = [&](std::int64_t length) {
        return [&, length] { copy.with(vectors).into(out(slice(0, length)))(x(slice(0, length))); };
      };
      made.memory_sector =
          difference_of(of(few), of(many)) / (2.0 * static_cast<double>(many - few) / floats_of_sector);
    }
  }

  void measure_blocks(seconds_of_each& made) {
    const auto copy = fuse("rates_blocks", plus_one);
    constexpr std::int64_t few = 1 << 16, many = 1 << 17;  // blocks
    const array<float, 1> x = full<float>(many * warp, 1.0f, where_);
    array<float, 1> out(shape<1>(many * warp), where_);
    const auto of = [&](std::int64_t blocks) {
      return
          [&, blocks] { copy.with(one_warp).into(out(slice(0, blocks * warp)))(x(slice(0, blocks * warp))); };
    };
    made.block = difference_of(of(few), of(many)) / static_cast<double>(many - few);
  }

  device where_;
  std::size_t rounds_;
};

}  // namespace

seconds_of_each measure_gpu(device where, std::size_t rounds) { return gpu_probes(where, rounds).measure(); }

gpu_rates rates_from(const seconds_of_each& measured, const gpu_rates& fitted) {
  constexpr double sixteenths = 16, instructions_of_cycle = 4;
  gpu_rates made = fitted;
  const auto multiprocessors = static_cast<double>(fitted.multiprocessors);
  const double hertz = 1 / (measured.add * multiprocessors * instructions_of_cycle);
  // on one multiprocessor, if all of them do the same
  const auto of_one = [&](double seconds) {
    return std::lround(seconds * multiprocessors * hertz * sixteenths);
  };
  made.megahertz = std::lround(hertz * 1e-6);
  made.instruction = of_one(measured.add);
  made.integer = std::max(0l, of_one(measured.integer) - made.instruction);
  made.float64 = std::max(0l, of_one(measured.float64_add) - made.instruction);
  made.special = std::max(0l, of_one(measured.approximation) - made.instruction);
  made.lookup = of_one(measured.lookup);
  made.rows_again.sector = made.others.sector = of_one(measured.sector);
  made.memory_sector = of_one(measured.memory_sector);
  made.block = std::lround(measured.block * multiprocessors * hertz);
  return made;
}

}  // namespace sinter_bench
