// expect: this is not an operand
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) { return where(x, "text", x); }
