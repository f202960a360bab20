// expect: x.shape() is written extent<0>(x), extent<1>(x)
#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) { return x / x.shape()[0]; });
auto use(const array<float, 2>& x) { return f(x); }
