// expect only: the count of repeat is one integer
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<int, 1>& x) {
  return repeat(x, x, [](auto a) { return a; });
}
