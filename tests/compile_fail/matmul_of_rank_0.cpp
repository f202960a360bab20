// expect only: matmul of an array of rank 0: multiply elements by a number with a * b
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& a, const array<float, 0>& b) { return matmul(a, b); }
