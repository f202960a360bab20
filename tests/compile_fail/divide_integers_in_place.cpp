// expect: say true_divide, floor_divide or trunc_divide
#include <sinter/sinter.hpp>
using namespace sinter;

void use(array<int, 1>& x) { x /= 2; }
