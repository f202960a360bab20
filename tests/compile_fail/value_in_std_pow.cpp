// expect only: std::pow takes numbers only: for values and arrays say pow(x, y) without std::
#include <sinter/sinter.hpp>

#include <cmath>
using namespace sinter;

auto f = fuse([](auto x) { return 1.0f + std::pow(x, 2); });
auto use(const array<float, 2>& x) { return f(x); }
