#pragma once
// The few statistics that a figure is judged by.

#include <span>
#include <vector>

namespace sinter_bench {

/// The median; 0 of no samples.
double median(std::vector<double> samples);

/// A mean with its lower and upper 95% bounds (each one-sided, Student's t).
struct confident_mean {
  double mean = 0, low = 0, high = 0;
};
confident_mean mean_of(std::span<const double> samples);
/// The same for positive ratios, computed on logarithms, so that a ratio and its inverse weigh alike.
confident_mean mean_ratio_of(std::span<const double> ratios);

/// The 95% quantile of Student's t with this many degrees of freedom.
double student_95(std::size_t degrees);

}  // namespace sinter_bench
