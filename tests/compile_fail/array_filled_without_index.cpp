// expect: to fill an array say x(all()) = 0
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& z) { z = 0; }
