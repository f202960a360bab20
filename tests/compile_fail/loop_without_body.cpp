// expect only: the last argument of a loop is its body
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) { return repeat(3, x, x); }
