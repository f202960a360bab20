// expect: use scatter_add
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& x, const array<int, 1>& i) { x(i) += 1.0f; }
