// expect only: reduce and scan take a combine, then identities, then values
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) { return reduce(x, 0, x); }
