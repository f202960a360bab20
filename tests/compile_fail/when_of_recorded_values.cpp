// expect only: use where(condition, a, b) for values
#include <sinter/sinter.hpp>
using namespace sinter;

auto magnitude = fuse([](value<float, 1> x) { return when(x > 0, x, -x) + 1; });
array<float, 1> use(const array<float, 1>& x) { return magnitude(x); }
