#include <sinter/runtime/tuning/sample_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sinter::inline v0::runtime {

interval median_of(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t count = sorted.size();
  const double middle = count % 2 != 0 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
  // ranks count/2 -+ 1.96 * sqrt(count)/2 (Conover, Practical Nonparametric Statistics, 3.2)
  const double half = static_cast<double>(count) / 2, away = 0.98 * std::sqrt(static_cast<double>(count));
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(half - away)));
  const auto high = std::min(count - 1, static_cast<std::size_t>(std::ceil(half + away)));
  return {middle, sorted[low], sorted[high]};
}

interval ratio_of(std::span<const double> after, std::span<const double> before) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(after.size(), before.size()); ++i)
    ratios.push_back(after[i] / before[i]);
  return median_of(ratios);
}

}  // namespace sinter::inline v0::runtime
