// expect only: a kernel has one axis: flatten(kernel)
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x, const array<float, 2>& k) { return convolve(x, k); }
