// expect: elements of a value are not assigned to: say scatter(x, i, v)
#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) {
  x(0) = x(1);
  return x;
});
auto use(const array<float, 2>& x) { return f(x); }
