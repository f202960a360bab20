// expect only: a combine captures values of rank 0
#include <sinter/sinter.hpp>
using namespace sinter;

auto summed = fuse([](value<float, 2> x, value<float, 1> y) {
  return reduce([&](auto a, auto b) { return a + b * y; }, 0.f, x, axis<1>);
});
auto use(const array<float, 2>& x, const array<float, 1>& y) { return summed(x, y); }
