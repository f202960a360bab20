// expect: into(...) takes one array for each result
#include <sinter/sinter.hpp>
using namespace sinter;

auto both = fuse([](auto x) { return std::tuple{x, x + x}; });
void use(const array<float, 1>& x, array<float, 1>& out) { both.into(out)(x); }
