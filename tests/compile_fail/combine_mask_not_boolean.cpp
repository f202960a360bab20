// expect only: only_where(mask): the mask is not boolean
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a, auto b) { return a + b; }, 0.f, x, only_where(x));
}
