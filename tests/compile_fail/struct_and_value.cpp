// expect: this is not an operand
#include <sinter/sinter.hpp>
using namespace sinter;

struct point {
  float x, y;
};
auto wrong = fuse([](auto x) { return point{1, 2} * x; });
array<float, 1> use(const array<float, 1>& x) { return wrong(x); }
