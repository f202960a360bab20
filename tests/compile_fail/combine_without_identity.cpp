// expect only: after the combine come identities, then values
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) {
  return reduce([](auto a, auto b) { return a + b; }, x, axis<1>);
}
