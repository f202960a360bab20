// expect: 0.5 < x < 2 is written 0.5 < x && x < 2
#include <sinter/sinter.hpp>
using namespace sinter;

auto within = fuse([](auto x) { return 0.5 < x < 2; });
array<bool, 1> use(const array<float, 1>& x) { return within(x); }
