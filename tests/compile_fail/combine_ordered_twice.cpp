// expect only: an option of reduce or scan is given twice
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a, auto b) { return a + b; }, 0.f, x, ordered, ordered);
}
