// expect: not defined for booleans: use logical_xor or logical_not
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<bool, 1>& x, const array<bool, 1>& y) { return x - y; }
