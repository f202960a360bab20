// expect: x[i] is written x(i)
#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) { return x[0]; });
auto use(const array<float, 2>& x) { return f(x); }
