// expect: assignment cannot change the rank
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& z, const array<float, 2>& x) { z = x * 2; }
