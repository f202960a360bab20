// expect: name the array before viewing it
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 1>& x) { any_view v = x.copy(); }
