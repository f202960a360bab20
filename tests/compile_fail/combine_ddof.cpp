// expect only: reduce takes axis<...>, keepdims, ordered and only_where(mask)
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return reduce([](auto a, auto b) { return a + b; }, 0.f, x, ddof(1));
}
