// expect: say true_divide, floor_divide or trunc_divide
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<int, 1>& x, const array<long, 1>& y) { return x / y; }
