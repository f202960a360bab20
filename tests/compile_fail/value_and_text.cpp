// expect: this is not an operand
#include <sinter/sinter.hpp>
using namespace sinter;

auto wrong = fuse([](auto x) { return x + "text"; });
array<float, 1> use(const array<float, 1>& x) { return wrong(x); }
