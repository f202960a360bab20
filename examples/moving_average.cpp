// A recurrence as a scan: exponential moving averages s[i] = (1 - rate) * s[i - 1] + rate * x[i], of one long
// series and of many short ones, beside the same loops in C++.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

// In C++, for one series.
void average(float rate, const float* x, std::size_t length, float* to) {
  float s = x[0];
  for (std::size_t i = 0; i < length; ++i) {
    s = (1 - rate) * s + rate * x[i];
    to[i] = s;
  }
}

int main() {
  // Two steps h -> a * h + b and h -> c * h + d together are a step of the same form. The first of a row has
  // nothing before it: its b is the average, and its a is never used.
  const auto moving_average = fuse("moving_average", [](auto rate, auto x) {
    const auto term = where(coordinate<1>(x) == 0, x, rate * x);
    const auto [factor, s] = scan(
        [](auto left, auto right) {
          const auto [a, b] = left;
          const auto [c, d] = right;
          return std::tuple(a * c, c * b + d);
        },
        std::tuple{1.f, 0.f}, std::tuple{1 - rate, term}, axis<1>);
    return s;
  });

  const auto waves = fuse([](auto i, auto row) { return sin(0.01f * i + row(all(), newaxis)); });
  const float rate = 0.05f;
  for (const auto& [rows, columns] : {std::pair{1, 4'000'000}, std::pair{4000, 1000}}) {
    const array<float, 2> x = waves(arange<float>(columns), arange<float>(rows));
    const std::vector<float> elements = x.to_vector();
    std::vector<float> expected(elements.size());
    const auto length = static_cast<std::size_t>(columns);
    const double in_loop = milliseconds([&] {
      for (std::size_t i = 0; i < elements.size(); i += length)
        average(rate, elements.data() + i, length, expected.data() + i);
    });
    array<float, 2> averages = moving_average(rate, x);
    const double in_kernel = milliseconds([&] {
      moving_average.into(averages)(rate, x);
      synchronize();
    });
    const std::vector<float> found = averages.to_vector();
    float largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      largest = std::max(largest, std::abs(found[i] - expected[i]));
    std::printf("%d series of %d: C++ loop %.2f ms, Sinter %.2f ms, largest difference %.1e\n", rows, columns,
                in_loop, in_kernel, static_cast<double>(largest));
    check(largest < 1e-5f, "moving averages");
  }
}
