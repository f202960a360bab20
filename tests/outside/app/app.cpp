// An application that knows Sinter only through its package.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <string>
#include <vector>

using namespace sinter;

namespace {

#if !defined(NDEBUG)
/// A function that refers to an array which is gone says so. The array's place stays, so that what lies there
/// is what its destructor left.
bool tells_of_destroyed_array() {
  using vector = array<float, 1>;
  alignas(vector) unsigned char place[sizeof(vector)];
  vector* const gone = new (place) vector(vector::from({1, 2}));
  const auto shifted = fuse([gone](auto x) { return x + *gone; });
  const vector x = vector::from({1, 2});
  gone->~vector();
  try {
    const vector never = shifted(x);
  } catch (const error& caught) {
    return std::string(caught.what()).find("an array that was destroyed") != std::string::npos;
  }
  return false;
}
#endif

}  // namespace

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
#if !defined(NDEBUG)
  if (!tells_of_destroyed_array()) {
    std::puts("an array that was destroyed was read");
    return 1;
  }
#endif
  std::puts("ok");
}
