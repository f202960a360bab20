// expect: a reduction takes axis<...>, which the types of results follow: sum(x, 1) is sum(x, axis<1>)
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return sum(x, 1); }
