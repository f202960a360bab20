// expect only: the condition of repeat_while does not take these states
#include <sinter/sinter.hpp>
using namespace sinter;

auto looped = fuse([](value<float, 1> x) {
  return repeat_while([](auto a, auto b) { return a < b; }, x, [](auto a) { return a * 2; }) + 1;
});
array<float, 1> use(const array<float, 1>& x) { return looped(x); }
