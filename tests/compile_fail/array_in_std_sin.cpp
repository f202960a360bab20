// expect only: std::sin takes numbers only: for values and arrays say sin(x) without std::
#include <sinter/sinter.hpp>

#include <cmath>
using namespace sinter;

array<float, 1> use(const array<float, 1>& x) { return std::sin(x) + 1.0f; }
