// expect: use scatter_add
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 2>& x, const array<int, 1>& i) { x(i, all()) *= 2.0f; }
