// expect: a compound assignment cannot change the element type: say astype<T>(x)
#include <sinter/sinter.hpp>
using namespace sinter;

auto wrong = fuse([](auto x) {
  x *= 1.5;
  return x;
});
array<int, 1> use(const array<int, 1>& x) { return wrong(x); }
