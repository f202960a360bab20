// What a few times tell.
#include <doctest/doctest.h>

#include <sinter/runtime/tuning/sample_statistics.hpp>

#include <vector>

using namespace sinter::runtime;

TEST_CASE("the median of samples lies between order statistics around it") {
  const std::vector<double> samples{9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16};
  const interval found = median_of(samples);
  CHECK(found.value == 8.5);
  CHECK(found.low == 5);    // rank 8 - 3.92, counted from 0
  CHECK(found.high == 13);  // rank 8 + 3.92
}

TEST_CASE("few samples have their extremes as bounds, and none have no median") {
  const std::vector<double> two{3, 1};
  CHECK(median_of(two).value == 2);
  CHECK(median_of(two).low == 1);
  CHECK(median_of(two).high == 3);
  CHECK(median_of({}).value == 0);
}

TEST_CASE("a ratio is the median of ratios of runs that were next to each other") {
  // the clock halves between the second and the third pair, which no ratio of medians would survive
  const std::vector<double> before{10, 10, 20, 20, 20}, after{9, 9, 18, 18, 18};
  const interval found = ratio_of(after, before);
  CHECK(found.value == doctest::Approx(0.9));
  CHECK(found.low == doctest::Approx(0.9));
  CHECK(found.high == doctest::Approx(0.9));
}
