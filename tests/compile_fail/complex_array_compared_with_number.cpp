// expect: complex numbers have no order: compare real(x), imag(x) or abs(x)
#include <sinter/complex.hpp>
using namespace sinter;

auto use(const array<std::complex<double>, 2>& x) { return x >= 0; }
