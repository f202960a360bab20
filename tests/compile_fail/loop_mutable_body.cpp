// expect only: a body is called as const
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return repeat(3, x, [n = 0](value<float, 1> a) mutable { return a * ++n; });
}
