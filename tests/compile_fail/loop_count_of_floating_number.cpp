// expect only: the count of repeat is one integer
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return repeat(2.5, x, [](auto a) { return a; });
}
