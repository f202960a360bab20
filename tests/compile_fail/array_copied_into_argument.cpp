// expect: say x.copy() to copy an array
#include <sinter/sinter.hpp>
using namespace sinter;

float first_of(array<float, 1> x);
float use(array<float, 1>& x) { return first_of(x); }
