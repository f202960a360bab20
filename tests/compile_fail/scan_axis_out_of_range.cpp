// expect: there is no such axis
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return cumsum(x, axis<2>); }
