// expect only: use where(condition, a, b) for values
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 1> use(const array<float, 1>& x) { return when(x > 0, x, -x) + 1; }
