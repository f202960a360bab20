// expect: x(...) takes integers, slice(...), all(), newaxis and ellipsis
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(array<float, 1>& x) { return x(1.5); }
