// expect: use maximum
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return max(x, 0); }
