// expect: positions take no only_where
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return argmax(x, only_where(x > 0)); }
