// expect only: the condition of repeat_while returns a bool value
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return repeat_while([](auto a) { return a; }, x, [](auto a) { return a + 1; });
}
