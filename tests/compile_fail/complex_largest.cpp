// expect: not defined for complex numbers, which have no order
#include <sinter/complex.hpp>
using namespace sinter;

auto largest = fuse([](auto x) { return max(x); });
auto use(const array<std::complex<float>, 1>& x) { return largest(x); }
