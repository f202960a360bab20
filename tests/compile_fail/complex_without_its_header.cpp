// expect: include <sinter/complex.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto joined = fuse([](auto x) { return make_complex(x, x); });
auto use(const array<float, 1>& x) { return joined(x); }
