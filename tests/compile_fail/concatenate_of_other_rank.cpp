// expect only: arrays of one rank are put together
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 2>& x) { concatenate<0>(x, x(0)); }
