// expect only: there is no such axis
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 1> use(const array<float, 2>& x) {
  return reduce([](auto a, auto b) { return a + b; }, 0.f, x, axis<2>);
}
