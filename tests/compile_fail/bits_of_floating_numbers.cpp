// expect: takes booleans and integers only
#include <sinter/sinter.hpp>
using namespace sinter;

auto wrong = fuse([](auto x) { return x & 1; });
array<float, 1> use(const array<float, 1>& x) { return wrong(x); }
