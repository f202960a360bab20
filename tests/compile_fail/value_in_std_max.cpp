// expect: a value has no value while recording: use where(condition, a, b), and maximum
#include <sinter/sinter.hpp>

#include <algorithm>
using namespace sinter;

auto f = fuse([](auto x) { return std::max(x, x); });
auto use(const array<float, 2>& x) { return f(x); }
