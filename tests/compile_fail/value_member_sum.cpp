// expect: x.sum() is written sum(x)
#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) { return x.sum(); });
auto use(const array<float, 2>& x) { return f(x); }
