// expect: the mask is not boolean
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return sum(x, only_where(x)); }
