// expect only: a state of this loop changes its type or rank with every iteration
#include <sinter/sinter.hpp>
using namespace sinter;

auto looped = fuse([](value<float, 1> x) { return repeat(3, x, [](auto s) { return s(newaxis); }); });
auto use(const array<float, 1>& x) { return looped(x); }
