// expect: assignment cannot change element type or rank
#include <sinter/sinter.hpp>
using namespace sinter;

auto wrong = fuse([](auto x) {
  x = x > 0;
  return x;
});
array<float, 1> use(const array<float, 1>& x) { return wrong(x); }
