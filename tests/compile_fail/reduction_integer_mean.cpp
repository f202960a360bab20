// expect: floating type only
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return mean<int>(x); }
