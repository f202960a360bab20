// expect only: takes two callables without parameters
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 1> use(const array<float, 1>& x) {
  return when(x > 0, [&] { return x * 2; }, [](auto y) { return y; });
}
