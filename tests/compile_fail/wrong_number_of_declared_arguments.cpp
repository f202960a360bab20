// expect: the fused callable takes another number of arguments: it takes 1
#include <sinter/sinter.hpp>
using namespace sinter;

auto twice = fuse([](value<float, 1> x) { return x + x; });
auto use(const array<float, 1>& x) { return twice(x, x); }
