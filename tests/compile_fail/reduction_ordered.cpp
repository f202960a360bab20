// expect: a reduction takes axis<...>, keepdims, only_where(mask) and ddof(n) after its operand
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) { return sum(x, ordered); }
