// expect only: both sides of when return as many values
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) {
  return when(x > 0, [] { return 1; }, [] { return std::tuple(1, 2); });
}
