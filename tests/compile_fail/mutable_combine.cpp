// expect only: a combine is called as const
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([n = 0](value<float, 0> a, value<float, 0> b) mutable { return a + b * ++n; }, 0.f, x);
}
