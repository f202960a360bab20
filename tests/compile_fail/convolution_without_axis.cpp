// expect only: an array with several axes is convolved along one of them: name it with axis<A>
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x, const array<float, 1>& k) { return convolve(x, k); }
