// expect: takes two callables without parameters
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) { return when(x > 0, x, 0); }
