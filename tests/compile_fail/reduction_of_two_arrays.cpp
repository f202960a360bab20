// expect: a reduction takes axis<...>
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return sum(x, x); }
