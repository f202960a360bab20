// expect: use where, as in x += where(mask, v, 0)
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<float, 1>& x) { x(x > 0) += 1.0f; }
