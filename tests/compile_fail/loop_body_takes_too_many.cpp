// expect only: the body does not take these states
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return repeat(3, x, [](auto a, auto b, auto c) { return a; });
}
