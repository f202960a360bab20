// expect: a boolean array is no index: use where or compress
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 2>& x, const array<bool, 1>& mask) { x(mask, all()) = 0; }
