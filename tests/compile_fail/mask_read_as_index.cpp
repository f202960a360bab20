// expect: a boolean array is no index: use where or compress
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 1> use(const array<float, 1>& x, const array<bool, 1>& mask) { return x(mask); }
