// expect: sizes, counts and distances are integers
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto wrong = fuse([](auto x) { return x + rng::permutation(4.5, 42); });
array<double, 1> use(const array<double, 1>& x) { return wrong(x); }
