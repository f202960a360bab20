// expect: say true_divide, floor_divide or trunc_divide
#include <sinter/sinter.hpp>
using namespace sinter;

auto half = fuse([](auto x) { return x / 2; });
array<int, 1> use(const array<int, 1>& x) { return half(x); }
