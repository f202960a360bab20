// expect: a fused callable is called as const: a mutable lambda cannot be fused
#include <sinter/sinter.hpp>
using namespace sinter;

int calls = 0;
auto counting = fuse([count = 0](auto x) mutable { return x + ++count; });
array<float, 1> use(const array<float, 1>& x) { return counting(x); }
