// expect: name the array before viewing it
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 1>& x) { view<const float, 1> v = x.copy(); }
