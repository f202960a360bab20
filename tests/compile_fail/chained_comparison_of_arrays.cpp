// expect: 0.5 < x < 2 is written 0.5 < x && x < 2
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& low, const array<float, 1>& x, const array<float, 1>& high) {
  return low <= x <= high;
}
