// expect: only var and stddev take ddof
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return sum(x, ddof(1)); }
