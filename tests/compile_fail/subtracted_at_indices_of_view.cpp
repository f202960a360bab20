// expect: use scatter_add
#include <sinter/sinter.hpp>
using namespace sinter;

void use(view<float, 1> x, const array<int, 1>& i) { x(i) -= x(i); }
