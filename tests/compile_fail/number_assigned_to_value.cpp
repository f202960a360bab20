// expect: assignment cannot change element type or rank
#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) {
  auto y = x + 1;
  y = 2.f;
  return y;
});
auto use(const array<float, 2>& x) { return f(x); }
