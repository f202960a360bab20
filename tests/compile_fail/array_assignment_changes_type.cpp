// expect: assignment cannot change the element type: say astype<T>(x)
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& z, const array<double, 1>& x) { z = x * 2; }
