// expect: x(...) takes integers, slice(...), all() and newaxis
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(array<float, 1>& x) { return x(1.5); }
