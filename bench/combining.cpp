// Reductions and scans by a function of one's own, beside those of the table that move as many bytes.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cuda_limits.hpp"
#include "random_data.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr auto sum_and_largest = [](auto left, auto right) {
  auto [sum, largest] = left;
  auto [other_sum, other] = right;
  return std::tuple(sum + other_sum, maximum(largest, other));
};
constexpr auto smaller_with_companion = [](auto left, auto right) {
  auto [smallest, companion] = left;
  auto [other, its] = right;
  const auto is_other = other < smallest || (other == smallest && its < companion);
  return std::tuple(where(is_other, other, smallest), where(is_other, its, companion));
};
/// Chan, Golub and LeVeque's merge of counts, means and squared distances.
constexpr auto merged_moments = [](auto left, auto right) {
  auto [n, mean, squares] = left;
  auto [m, other, more] = right;
  const auto all = n + m;
  const auto distance = other - mean;
  const auto part = m / all;
  return std::tuple(all, mean + distance * part, squares + more + distance * distance * n * part);
};
/// The largest element, and the sum of exponentials of distances from it.
constexpr auto merged_exponentials = [](auto left, auto right) {
  auto [largest, sum] = left;
  auto [other, more] = right;
  const auto both = maximum(largest, other);
  return std::tuple(both, sum * exp(largest - both) + more * exp(other - both));
};
constexpr auto maps_in_turn = [](auto left, auto right) {
  auto [a, h] = left;
  auto [b, g] = right;
  return std::tuple(a * b, b * h + g);
};

const auto own_sum_and_largest = fuse("own_sum_and_largest", [](auto x) {
  return reduce(sum_and_largest, std::tuple{0.f, -inf}, std::tuple{x, x}, axis<1>);
});
const auto table_sum_and_largest =
    fuse("table_sum_and_largest", [](auto x) { return std::tuple(sum(x, axis<1>), max(x, axis<1>)); });
const auto own_argmin = fuse("own_argmin", [](auto x, auto companion) {
  return reduce(smaller_with_companion, std::tuple{inf, 0.f}, std::tuple{x, companion}, axis<1>);
});
const auto two_minima =
    fuse("two_minima", [](auto x, auto y) { return std::tuple(min(x, axis<1>), min(y, axis<1>)); });
const auto welford = fuse("welford", [](auto x) {
  auto [n, mean, squares] =
      reduce(merged_moments, std::tuple{0.f, 0.f, 0.f}, std::tuple{1.f, x, 0.f}, axis<1>);
  return std::tuple(mean, squares / n);
});
const auto one_pass_logsumexp = fuse("one_pass_logsumexp", [](auto x) {
  auto [largest, total] = reduce(merged_exponentials, std::tuple{-inf, 0.f}, std::tuple{x, 1.f}, axis<1>);
  return largest + log(total);
});
const auto row_sums = fuse("row_sums", [](auto x) { return sum(x, axis<1>); });
const auto recurrence = fuse("recurrence", [](auto a, auto b) {
  auto [product, h] = scan(maps_in_turn, std::tuple{1.f, 0.f}, std::tuple{a, b}, axis<1>);
  return h;
});
const auto row_cumsum = fuse("row_cumsum", [](auto x) { return cumsum(x, axis<1>); });

/// Two matrices of rows, and what a function makes of them.
struct rows {
  array<float, 2> x, y;
};
std::shared_ptr<rows> rows_of(std::int64_t count, std::int64_t length, device on) {
  count = std::max<std::int64_t>(1, count >> current_settings().shrink);
  return std::make_shared<rows>(
      rows{random_array<float, 2>({count, length}, on), random_array<float, 2>({count, length}, on)});
}

/// Calls a function of some of the rows into results of an earlier call.
template <class Function, class... Arguments>
void call_into(const Function& function, array<float, 1>& result, const Arguments&... arguments) {
  function.into(result)(arguments...);
}
template <class Function, class... Arguments>
void call_into(const Function& function, array<float, 2>& result, const Arguments&... arguments) {
  function.into(result)(arguments...);
}
template <class Function, class... Results, class... Arguments>
void call_into(const Function& function, std::tuple<Results...>& results, const Arguments&... arguments) {
  std::apply([&](auto&... each) { function.into(each...)(arguments...); }, results);
}

/// What a function takes.
enum class matrices : bool { one, both };

template <matrices Taken, class Function>
side side_of(const std::shared_ptr<rows>& held, const Function& function, double arrays, device on) {
  side made;
  if constexpr (Taken == matrices::both) {
    const auto results = std::make_shared<decltype(function(held->x, held->y))>(function(held->x, held->y));
    made.call = [=] { call_into(function, *results, held->x, held->y); };
  } else {
    const auto results = std::make_shared<decltype(function(held->x))>(function(held->x));
    made.call = [=] { call_into(function, *results, held->x); };
  }
  if (on != device::cpu()) made.wait = [on] { synchronize(on); };
  made.bytes = arrays * static_cast<double>(held->x.size()) * sizeof(float);
  return made;
}

/// A figure: rows of a length, and how many matrices each side moves.
struct figure {
  std::string name, limit_name;
  double goal;
  std::int64_t count, length;
  double subject_arrays, limit_arrays;
};

template <matrices OfSubject, matrices OfLimit, class Subject, class Limit>
void add_rows(const figure& of, device on, const Subject& subject, const Limit& limit) {
  add({.name = (on == device::cpu() ? "cpu/" : "cuda/") + of.name,
       .limit_name = of.limit_name,
       .judgement = judged_by::bandwidth,
       .goal = of.goal,
       .make =
           [=] {
             const auto held = rows_of(of.count, of.length, on);
             return sides{side_of<OfSubject>(held, subject, of.subject_arrays, on),
                          side_of<OfLimit>(held, limit, of.limit_arrays, on)};
           },
       .scales = true});
}

/// Rows that fill the device, and few long ones.
void add_on(device on) {
  using enum matrices;
  constexpr std::int64_t count = 16384, length = 4096, few = 256, long_row = 262144;
  add_rows<one, one>({"sum_and_largest", "sum and max", 0.97, count, length, 1, 1}, on, own_sum_and_largest,
                     table_sum_and_largest);
  add_rows<both, both>({"argmin_with_companion", "two minima", 0.97, count, length, 2, 2}, on, own_argmin,
                       two_minima);
  add_rows<one, one>({"welford", "sums of rows", 0.95, few, long_row, 1, 1}, on, welford, row_sums);
  add_rows<one, one>({"one_pass_logsumexp", "sums of rows", 0.95, few, long_row, 1, 1}, on,
                     one_pass_logsumexp, row_sums);
  add_rows<both, one>({"linear_recurrence", "cumsum", 0.9, count, length, 3, 2}, on, recurrence, row_cumsum);
}

}  // namespace

void add_combining() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
