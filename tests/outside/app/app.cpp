// An application that knows Sinter only through its package.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

using namespace sinter;

int main() {
  const std::vector<float> host_points{1, 2, 3, 4, 5, 6};
  const bool host_mask[]{true, false};
  auto masked = fuse([](auto points, auto mask) { return where(mask(all(), newaxis), inf, points); });
  const array<float, 2> points = array<float, 2>::from(host_points, {2, 3});
  const array<bool, 1> mask = array<bool, 1>::from(host_mask, {2});
  const std::vector<float> back = masked(points, mask).to_vector();
  const float huge = std::numeric_limits<float>::infinity();
  if (back != std::vector<float>{huge, huge, huge, 4, 5, 6}) {
    std::puts("masked: wrong answer");
    return 1;
  }

  try {
    const array<float, 1> two = array<float, 1>::from(std::vector<float>{1, 2}, {2});
    const array<float, 1> three = array<float, 1>::from(std::vector<float>{1, 2, 3}, {3});
    const array<float, 1> never = two + three;
    std::puts("shapes that do not fit were added");
    return 1;
  } catch (const shape_error& caught) {
    std::printf("as it should be: %s\n", caught.what());
  }
  std::puts("ok");
}
