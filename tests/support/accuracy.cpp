#include "accuracy.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace sinter::test {
namespace {

std::uint64_t mixed(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15u;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
  return state ^ (state >> 31);
}

/// Pairwise sum, over blocks of 128, of `term` applied to each element.
template <class Term>
long double halved(std::span<const float> elements, const Term& term) {
  if (elements.size() <= 128) {
    long double total = 0;
    for (const float element : elements) total += term(element);
    return total;
  }
  const std::size_t half = elements.size() / 2;
  return halved(elements.first(half), term) + halved(elements.subspan(half), term);
}

void add(spread_of_errors& to, double error) {
  to.typical += error * error;
  to.largest = std::max(to.largest, error);
}

}  // namespace

std::vector<float> make_data(const kind_of_data& kind, std::size_t count, std::uint64_t seed) {
  std::vector<float> made(count);
  const std::uint64_t first = mixed(seed) << 20;
  for (std::size_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(mixed(first + i) >> 11) * 0x1p-53;
    made[i] = static_cast<float>(kind.mean + kind.spread * (2 * unit - 1));
  }
  return made;
}

float pairwise_sum(std::span<const float> elements) {
  const std::size_t count = elements.size();
  if (count < 8) {
    float total = 0;
    for (const float element : elements) total += element;
    return total;
  }
  if (count <= 128) {
    float sums[8];
    std::copy_n(elements.begin(), 8, sums);
    std::size_t i = 8;
    for (; i < count - count % 8; i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += elements[i + lane];
    float total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; ++i) total += elements[i];
    return total;
  }
  std::size_t half = count / 2;
  half -= half % 8;
  return pairwise_sum(elements.first(half)) + pairwise_sum(elements.subspan(half));
}

long double exact_sum(std::span<const float> elements) {
  return halved(elements, [](float element) -> long double { return element; });
}

long double exact_squares(std::span<const float> elements, long double mean) {
  return halved(elements, [mean](float element) { return (element - mean) * (element - mean); });
}

summation_errors measure_sums(const kind_of_data& kind, std::size_t count, std::size_t trials, device where) {
  const auto total = fuse("accuracy_sum", [](auto x) { return sum(x); });
  struct trial_errors {
    double sinter = 0, pairwise = 0;
  };
  std::vector<trial_errors> all(trials);
  // few at a time, because each has two copies of its elements
  tbb::task_arena(std::min(8, tbb::info::default_concurrency())).execute([&] {
    tbb::parallel_for(std::size_t{0}, trials, [&](std::size_t trial) {
      const std::vector<float> elements = make_data(kind, count, 1000 * trial + count);
      const long double exact = exact_sum(elements);
      const long double magnitude =
          halved(elements, [](float element) { return std::fabs(static_cast<long double>(element)); });
      const auto error_of = [&](float made) {
        return static_cast<double>(std::fabs(made - exact) / magnitude);
      };
      all[trial].pairwise = error_of(pairwise_sum(elements));
      const auto x = array<float, 1>::from(elements, {count}, where);
      all[trial].sinter = error_of(total(x).to_vector()[0]);
    });
  });
  summation_errors found;
  for (const trial_errors& each : all) {
    add(found.sinter, each.sinter);
    add(found.pairwise, each.pairwise);
  }
  for (spread_of_errors* each : {&found.sinter, &found.pairwise})
    each->typical = std::sqrt(each->typical / static_cast<double>(trials));
  return found;
}

}  // namespace sinter::test
