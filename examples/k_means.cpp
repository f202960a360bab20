// K-means: each point belongs to the nearest centre, and each centre moves to the mean of its points. One
// call does both, beside the same loop in C++.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

const std::int64_t points = 100'000, clusters = 16, axes = 3;

// In C++.
void move_in_loop(const std::vector<float>& all_points, const std::vector<float>& centres,
                  std::vector<float>& moved) {
  std::vector<double> sums(centres.size());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(clusters));
  for (auto point = all_points.begin(); point != all_points.end(); point += axes) {
    std::int64_t nearest = 0;
    float least = std::numeric_limits<float>::infinity();
    for (std::int64_t cluster = 0; cluster < clusters; ++cluster) {
      float distance = 0;
      for (std::int64_t axis = 0; axis < axes; ++axis) {
        const float difference = point[axis] - centres[static_cast<std::size_t>(cluster * axes + axis)];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest = cluster;
      }
    }
    ++counts[static_cast<std::size_t>(nearest)];
    for (std::int64_t axis = 0; axis < axes; ++axis)
      sums[static_cast<std::size_t>(nearest * axes + axis)] += point[axis];
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    moved[i] = static_cast<float>(sums[i] / static_cast<double>(counts[i / axes]));
}

// With Sinter. Neither the distances nor the differences are stored for all pairs.
const auto move_centres = [](auto points, auto centres) {
  const auto distances = sum(square(points(all(), newaxis) - centres), axis<2>);
  return segment_mean(points, argmin(distances, axis<1>), extent<0>(centres));
};

int main() {
  // Points around corners of a grid, and centres that begin beside the corners.
  std::vector<float> corners, all_points, first;
  for (std::int64_t cluster = 0; cluster < clusters; ++cluster)
    for (const std::int64_t step : {cluster % 2, cluster / 2 % 2, cluster / 4})
      corners.push_back(10 * static_cast<float>(step));
  std::mt19937 random(1957);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < static_cast<std::size_t>(points * axes); ++i)
    all_points.push_back(corners[i % corners.size()] + normal(random));
  for (const float position : corners) first.push_back(position + 2 * normal(random));

  const array<float, 2> x = array<float, 2>::from(all_points, {points, axes});
  array<float, 2> centres = array<float, 2>::from(first, {clusters, axes}), moved(centres.shape());
  const auto move = fuse("k_means", move_centres);
  std::vector<float> expected(first.size());
  const double in_loop = milliseconds([&] { move_in_loop(all_points, first, expected); });
  const double in_kernel = milliseconds([&] {
    move.into(moved)(x, centres);
    synchronize();
  });

  // The means are rounded differently, and a point that is as far from two centres may be either's.
  const auto difference = [](const std::vector<float>& a, const std::vector<float>& b) {
    float largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  };
  check(difference(moved.to_vector(), expected) < 1e-2f, "the means of the clusters");
  std::printf("%lld points, %lld clusters: C++ loop %.2f ms, Sinter %.2f ms\n",
              static_cast<long long>(points), static_cast<long long>(clusters), in_loop, in_kernel);

  // Centres come to rest at the corners.
  for (int i = 0; i < 20; ++i) centres = move(x, centres);
  check(difference(centres.to_vector(), corners) < 0.2f, "centres at the corners");
}
