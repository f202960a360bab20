// expect: a scan goes along one axis: name it
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return cumprod(x, axis<0, 1>); }
