// expect only: there is no such axis
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 2>& x) { concatenate<2>(x, x); }
