// expect: a value has no value while recording: use where(condition, a, b)
#include <sinter/sinter.hpp>
using namespace sinter;

auto relu = fuse([](auto x) { return x > 0 ? x : -x; });
array<float, 1> use(const array<float, 1>& x) { return relu(x); }
