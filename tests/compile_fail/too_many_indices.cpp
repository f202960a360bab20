// expect: more indices than axes
#include <sinter/sinter.hpp>
using namespace sinter;

auto wrong = fuse([](auto x) { return x(0, all(), newaxis, 1); });
array<float, 1> use(const array<float, 2>& x) { return wrong(x); }
