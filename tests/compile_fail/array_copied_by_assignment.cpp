// expect: say x.copy() to copy an array
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& z, const array<float, 1>& x) { z = x; }
