// expect only: scan goes along one axis: name it
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) {
  return scan([](auto a, auto b) { return a + b; }, 0.f, x);
}
