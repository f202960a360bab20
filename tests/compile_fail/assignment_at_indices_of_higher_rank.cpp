// expect: assignment cannot change the rank
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& x, const array<int, 1>& i, const array<float, 2>& v) { x(i) = v; }
