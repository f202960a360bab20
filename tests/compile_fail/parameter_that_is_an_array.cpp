// expect: a fused callable takes values: declare parameter 2 as auto or value<T, Rank>
#include <sinter/sinter.hpp>
using namespace sinter;

auto sums = fuse([](value<float, 1> x, const array<float, 1>& y) { return x + y; });
auto use(const array<float, 1>& x) { return sums(x, x); }
