// expect only: scan takes axis<...> after its values, and nothing else
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return scan([](auto a, auto b) { return a + b; }, 0.f, x, ordered);
}
