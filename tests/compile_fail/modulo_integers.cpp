// expect: say remainder or fmod
#include <sinter/sinter.hpp>
using namespace sinter;

auto odd = fuse([](auto x) { return x % 2; });
array<int, 1> use(const array<int, 1>& x) { return odd(x); }
