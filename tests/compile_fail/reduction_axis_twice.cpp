// expect: names an axis twice
#include <sinter/sinter.hpp>
using namespace sinter;

auto averages = fuse([](auto x) { return mean(x, axis<1, -1>); });
array<float, 1> use(const array<float, 2>& x) { return averages(x); }
