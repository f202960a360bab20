// expect only: std::pow takes numbers only: for values and arrays say pow(x, y) without std::
#include <sinter/sinter.hpp>

#include <cmath>
using namespace sinter;

array<float, 1> use(const array<float, 1>& x) { return std::pow(2.0f, x * x); }
