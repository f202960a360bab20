// expect only: a spacing is no complex number: take real(h) or absolute(h)
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 1>& x) { return gradient(x, std::complex<float>(0, 1)); }
