// expect: a complex number has two parts
#include <sinter/complex.hpp>
using namespace sinter;

auto narrowed = fuse([](auto x) { return astype<float>(x); });
auto use(const array<std::complex<float>, 1>& x) { return narrowed(x); }
