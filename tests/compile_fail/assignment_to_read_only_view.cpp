// expect: these elements are read only
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 1>& x) { x(slice(0, 2)) = 0; }
