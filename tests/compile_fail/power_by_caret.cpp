// expect: x ^ n is the exclusive or of booleans and integers: a power is pow(x, n)
#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) { return x ^ 2; });
auto use(const array<float, 2>& x) { return f(x); }
