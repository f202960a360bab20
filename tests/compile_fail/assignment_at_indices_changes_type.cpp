// expect: assignment cannot change the element type
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<int, 1>& x, const array<int, 1>& i, const array<float, 1>& v) { x(i) = v; }
