// expect: a fused function returns values: this callable returns nothing
#include <sinter/sinter.hpp>
using namespace sinter;

auto nothing = fuse([](auto) {});
void use(const array<float, 1>& x) { nothing(x); }
