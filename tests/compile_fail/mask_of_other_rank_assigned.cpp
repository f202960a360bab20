// expect: a mask has the shape of the array
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 2>& x, const array<bool, 1>& mask) { x(mask) = 0; }
