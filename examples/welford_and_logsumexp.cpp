// Reductions of several values in one pass: the mean and variance of each row by Welford's formula, and the
// logarithm of a sum of exponentials, each beside the same loop in C++.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

constexpr std::int64_t rows = 2000, columns = 2000;

// In C++, for one row.
struct moments {
  float mean, variance;
};
moments moments_of(const float* row) {
  float mean = 0, squares = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    const float difference = row[i] - mean;
    mean += difference / static_cast<float>(i + 1);
    squares += difference * (row[i] - mean);
  }
  return {mean, squares / static_cast<float>(columns)};
}
float log_sum_exp_of(const float* row) {
  float largest = -std::numeric_limits<float>::infinity(), sum = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    const float both = std::max(largest, row[i]);
    sum = sum * std::exp(largest - both) + std::exp(row[i] - both);
    largest = both;
  }
  return largest + std::log(sum);
}

/// Compares results with what a loop gave.
void compare(const char* name, const array<float, 1>& results, const std::vector<float>& expected,
             float tolerance) {
  const std::vector<float> found = results.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]) / std::abs(expected[i]));
  std::printf("  %s: largest relative difference %.1e\n", name, static_cast<double>(largest));
  check(largest < tolerance, name);
}

// NOLINTNEXTLINE(readability-function-size): read from top to bottom
int main() {
  // A side is the count, the mean and the squared deviations of some elements; one element has count 1.
  const auto mean_and_variance = fuse("mean_and_variance", [](auto x) {
    const auto [count, mean, squares] = reduce(
        [](auto left, auto right) {
          const auto [n, mean, squares] = left;
          const auto [other_n, other_mean, other_squares] = right;
          const auto both = n + other_n;
          const auto difference = other_mean - mean;
          return std::tuple(both, mean + difference * (other_n / both),
                            squares + other_squares + difference * difference * (n * other_n / both));
        },
        std::tuple{0.f, 0.f, 0.f}, std::tuple{1.f, x, 0.f}, axis<1>);
    return std::tuple(mean, squares / count);
  });
  // A side is the maximum of some elements, and the sum of exponentials of what they lie below it.
  const auto log_sum_exp = fuse("log_sum_exp", [](auto x) {
    const auto [largest, sum] = reduce(
        [](auto left, auto right) {
          const auto [m, s] = left;
          const auto [n, t] = right;
          const auto both = maximum(m, n);
          return std::tuple(both,
                            where(m == both, s, s * exp(m - both)) + where(n == both, t, t * exp(n - both)));
        },
        std::tuple{-inf, 0.f}, std::tuple{x, 1.f}, axis<1>);
    return largest + log(sum);
  });

  // Far from 0, where the difference of the mean of squares and the square of the mean has no digit left.
  const auto waves = fuse([](auto i, auto row) { return 1000.f + sin(i + row(all(), newaxis)); });
  const array<float, 2> x = waves(arange<float>(columns), arange<float>(rows));
  const std::vector<float> elements = x.to_vector();

  std::vector<float> means(rows), variances(rows), logarithms(rows);
  double in_loop = milliseconds([&] {
    for (std::size_t i = 0; i < rows; ++i) {
      const moments found = moments_of(elements.data() + i * columns);
      means[i] = found.mean;
      variances[i] = found.variance;
    }
  });
  auto [mean, variance] = mean_and_variance(x);
  double in_kernel = milliseconds([&] {
    mean_and_variance.into(mean, variance)(x);
    synchronize();
  });
  std::printf("mean and variance of each row: C++ loop %.2f ms, Sinter %.2f ms\n", in_loop, in_kernel);
  compare("means", mean, means, 1e-5f);
  compare("variances", variance, variances, 1e-2f);

  in_loop = milliseconds([&] {
    for (std::size_t i = 0; i < rows; ++i) logarithms[i] = log_sum_exp_of(elements.data() + i * columns);
  });
  array<float, 1> logarithm = log_sum_exp(x);
  in_kernel = milliseconds([&] {
    log_sum_exp.into(logarithm)(x);
    synchronize();
  });
  std::printf("logarithm of the sum of exponentials: C++ loop %.2f ms, Sinter %.2f ms\n", in_loop, in_kernel);
  compare("logarithms", logarithm, logarithms, 1e-5f);
}
