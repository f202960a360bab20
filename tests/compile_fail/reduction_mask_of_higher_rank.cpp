// expect: more axes than the operand
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x, const array<bool, 2>& mask) { return sum(x, only_where(mask)); }
