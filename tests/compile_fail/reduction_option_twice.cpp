// expect: given twice
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return sum(x, axis<0>, axis<1>); }
