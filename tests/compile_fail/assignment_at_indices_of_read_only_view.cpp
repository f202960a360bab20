// expect: these elements are read only
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 1>& x, const array<int, 1>& i) { x(i) = 0; }
