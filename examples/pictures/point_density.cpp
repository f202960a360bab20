// How many points lie in each cell of a grid: points that hop along Peter de Jong's attractor. They are
// counted by histogram2d, beside the same loop in C++; then each call moves them and adds what it counts.
// Writes the counts as brightness to point_density.png, or to the file that is named.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

#include "../check.hpp"
#include "../demo/picture.hpp"
#include "../timing.hpp"

using namespace sinter;

using numbers = std::vector<std::int64_t>;

const std::int64_t side = 512;  // of the grid; there are side * side points, too

// Where a point hops to. It stays between -2 and 2.
const auto hop = [](auto x, auto y) {
  return std::tuple(sin(1.4f * y) - cos(2.3f * x), sin(2.4f * x) - cos(2.1f * y));
};

// In C++. Row i is bin i of x, and the upper edge belongs to the last bin.
void count_in_loop(const std::vector<float>& x, const std::vector<float>& y, numbers& counts) {
  const auto is_inside = [](float position) { return position >= -2 && position <= 2; };
  const auto bin = [](float position) {
    return std::min(static_cast<std::int64_t>((position + 2.0) * side / 4), side - 1);
  };
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (is_inside(x[i]) && is_inside(y[i])) ++counts[static_cast<std::size_t>(bin(x[i]) * side + bin(y[i]))];
}

// With Sinter. The number of bins is an argument, so that another one needs no other kernel.
const auto count_points = [](auto x, auto y, auto bins) {
  return histogram2d(x, y, bins, bins, -2, 2, -2, 2);
};

int main(int count, char** arguments) {
  // From a square, points come to the attractor in a few hops.
  const auto settle = fuse([](auto from) { return repeat(20, from(all(), newaxis), from(newaxis), hop); });
  auto [x, y] = settle(linspace<float>(-1, 1, side));

  const auto density = fuse("point_density", count_points);
  array<std::int64_t, 2> counts = density(x, y, side);
  const std::vector<float> host_x = x.to_vector(), host_y = y.to_vector();
  numbers expected(static_cast<std::size_t>(side * side));
  const double in_loop = milliseconds([&] { count_in_loop(host_x, host_y, expected); });
  const double in_kernel = milliseconds([&] {
    density.into(counts)(x, y, side);
    synchronize();
  });
  check(counts.to_vector() == expected, "counts of points");
  std::printf("%lld points in %lld x %lld cells: C++ loop %.2f ms, Sinter %.2f ms\n",
              static_cast<long long>(x.size()), static_cast<long long>(side), static_cast<long long>(side),
              in_loop, in_kernel);

  const auto hop_and_count = fuse("hop_and_count", [](auto x, auto y, auto counts) {
    const auto [to_x, to_y] = hop(x, y);
    return std::tuple(to_x, to_y, counts + count_points(to_x, to_y, extent<0>(counts)));
  });
  for (int i = 0; i < 50; ++i) std::tie(x, y, counts) = hop_and_count(x, y, counts);
  const array<std::int64_t, 0> counted = sum(counts);
  check(counted.to_vector()[0] == 51 * side * side, "no point is lost");

  const auto paint = fuse([](auto counts) {
    const auto light = log1p(astype<float>(counts));
    const auto share = light / max(light);
    return stack<-1>(square(share), share * sqrt(share), sqrt(share));
  });
  const array<float, 3> picture = paint(counts);
  demo::write_png(count > 1 ? arguments[1] : "point_density.png", picture.to_vector().data(), side, side);
}
