// expect: there is no such axis
#include <sinter/sinter.hpp>
using namespace sinter;

auto position = fuse([](auto x) { return coordinate<3>(x); });
array<std::int64_t, 2> use(const array<float, 2>& x) { return position(x); }
