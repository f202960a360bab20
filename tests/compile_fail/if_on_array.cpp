// expect: an array has no single truth value: use where(condition, a, b)
#include <sinter/sinter.hpp>
using namespace sinter;

int use(const array<float, 1>& x) {
  if (x > 0) return 1;
  return 0;
}
