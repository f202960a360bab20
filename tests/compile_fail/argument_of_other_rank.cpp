// expect: the fused callable does not take argument 2: it declares another element type or rank
#include <sinter/sinter.hpp>
using namespace sinter;

auto scale = fuse([](value<float, 1> x, value<float, 0> factor) { return x * factor; });
auto use(const array<float, 1>& x) { return scale(x, x); }
