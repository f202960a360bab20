// expect: weights have the shape of x, or one axis for the axis<A> that is named
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x, const array<float, 1>& weights) { return average(x, weights); }
