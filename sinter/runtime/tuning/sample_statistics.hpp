#pragma once
// What a few times tell: medians, ratios, and how sure they are.

#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// A value with the bounds of its 95% interval.
struct interval {
  double value = 0, low = 0, high = 0;
};

/// The median of samples, and the order statistics between which it lies (the binomial interval, by its
/// normal approximation; for few samples the extremes).
interval median_of(std::span<const double> samples);

/// The median of after[i] / before[i], which were measured in turns.
interval ratio_of(std::span<const double> after, std::span<const double> before);

}  // namespace sinter::inline v0::runtime
