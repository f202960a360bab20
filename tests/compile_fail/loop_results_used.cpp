// expect only: the body returns the next value of each state
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 1> use(const array<float, 1>& x) {
  auto [a, n] = repeat(3, x, 0, [](auto a, auto) { return a; });
  return a + n;
}
