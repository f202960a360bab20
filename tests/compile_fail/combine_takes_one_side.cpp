// expect only: the combine does not take these values
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a) { return a; }, 0, x);
}
