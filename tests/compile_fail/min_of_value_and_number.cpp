// expect: use minimum
#include <sinter/sinter.hpp>
using namespace sinter;

auto smaller = fuse([](auto x) { return min(x, 2.0f); });
array<float, 1> use(const array<float, 1>& x) { return smaller(x); }
