// expect: into(...): the element type is not that of the result
#include <sinter/sinter.hpp>
using namespace sinter;

auto twice = fuse([](auto x) { return x + x; });
void use(const array<float, 1>& x, array<double, 1>& out) { twice.into(out)(x); }
