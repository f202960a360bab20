// expect only: std::fabs takes numbers only: for values and arrays say abs(x)
#include <sinter/sinter.hpp>

#include <cmath>
using namespace sinter;

auto f = fuse([](auto x) { return sum(std::fabs(x)); });
auto use(const array<float, 2>& x) { return f(x); }
