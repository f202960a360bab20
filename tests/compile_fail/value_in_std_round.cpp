// expect only: std::round takes numbers only: for values and arrays say round(x) without std::, which takes
// halves to
#include <cmath>

#include <sinter/sinter.hpp>
using namespace sinter;

auto f = fuse([](auto x) { return std::round(x); });
auto use(const array<float, 2>& x) { return f(x); }
