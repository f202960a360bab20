// expect: complex numbers have no order
#include <sinter/complex.hpp>
using namespace sinter;

auto smaller = fuse([](auto x, auto y) { return x < y; });
auto use(const array<std::complex<float>, 1>& x) { return smaller(x, x); }
