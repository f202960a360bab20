// expect only: a spacing is a number, or coordinates: an array of rank 1 or of the rank of y
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& y, const array<float, 2>& x) { return trapezoid(y, x); }
