#pragma once
// Errors of float32 sums against exact ones, with NumPy's way of summing for comparison: for the test that
// bounds Sinter's errors and for the program that writes docs/accuracy.md.

#include <sinter/sinter.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::test {

/// Distributions of float32 elements.
struct kind_of_data {
  std::string_view name;
  double mean, spread;  ///< uniform within mean ± spread
};
inline constexpr kind_of_data kinds_of_data[] = {{"uniform in [0, 1)", 0.5, 0.5},
                                                 {"mixed signs, uniform in ±1", 0, 1},
                                                 {"large mean, 10,000 ± 1", 1e4, 1}};

/// Returns the same elements for the same kind and seed.
std::vector<float> make_data(const kind_of_data& kind, std::size_t count, std::uint64_t seed);

/// NumPy's pairwise summation of contiguous float32 (its loops/loops_utils.h describes it): blocks of up to
/// 128 elements in eight sums; larger ranges are halved at multiples of eight.
float pairwise_sum(std::span<const float> elements);

/// The sum, effectively exact here: pairwise, with a 64-bit mantissa instead of float32's 24 bits.
long double exact_sum(std::span<const float> elements);
/// The same for the sum of (element - mean)².
long double exact_squares(std::span<const float> elements, long double mean);

/// Root mean square over trials of |sum - exact| / sum of |elements|, and the largest. This measure does not
/// depend on cancellation in sums of mixed signs.
struct spread_of_errors {
  double typical = 0, largest = 0;
};
struct summation_errors {
  spread_of_errors sinter, pairwise;
};
summation_errors measure_sums(const kind_of_data& kind, std::size_t count, std::size_t trials, device where);

}  // namespace sinter::test
