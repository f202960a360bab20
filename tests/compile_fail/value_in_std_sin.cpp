// expect only: std::sin takes numbers only: for values and arrays say sin(x) without std::
#include <sinter/sinter.hpp>

#include <cmath>
using namespace sinter;

auto f = fuse([](auto x) { return std::sin(x) * 2.0f; });
auto use(const array<float, 2>& x) { return f(x); }
