// expect: 0.5 < x < 2 is written 0.5 < x && x < 2
#include <sinter/sinter.hpp>
using namespace sinter;

auto within = fuse([](auto x, auto y, auto z) { return x > y >= z; });
auto use(const array<float, 1>& x) { return within(x, x, x); }
