// expect: operand's shape anyway
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return softmax(x, keepdims); }
