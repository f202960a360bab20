#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sinter_bench {

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

double student_95(std::size_t degrees) {
  // One to four degrees by table, where the expansion below (Abramowitz and Stegun 26.7.5) is not exact
  // enough.
  constexpr double few[] = {std::numeric_limits<double>::infinity(), 6.3138, 2.9200, 2.3534, 2.1318};
  if (degrees < std::size(few)) return few[degrees];
  const double z = 1.6448536269514722, n = static_cast<double>(degrees);
  const double z2 = z * z, z3 = z2 * z, z5 = z3 * z2, z7 = z5 * z2;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

confident_mean mean_of(std::span<const double> samples) {
  confident_mean found;
  if (samples.empty()) return found;
  const double count = static_cast<double>(samples.size());
  for (const double sample : samples) found.mean += sample / count;
  double squares = 0;
  for (const double sample : samples) squares += (sample - found.mean) * (sample - found.mean);
  const double half =
      samples.size() < 2 ? 0 : student_95(samples.size() - 1) * std::sqrt(squares / (count - 1) / count);
  found.low = found.mean - half;
  found.high = found.mean + half;
  return found;
}

confident_mean mean_ratio_of(std::span<const double> ratios) {
  std::vector<double> logarithms(ratios.size());
  std::transform(ratios.begin(), ratios.end(), logarithms.begin(),
                 [](double ratio) { return std::log(ratio); });
  const confident_mean found = mean_of(logarithms);
  return {std::exp(found.mean), std::exp(found.low), std::exp(found.high)};
}

}  // namespace sinter_bench
