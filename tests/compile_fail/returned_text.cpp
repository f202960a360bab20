// expect: a fused function returns values, or a std::tuple
#include <sinter/sinter.hpp>
using namespace sinter;

auto text = fuse([](auto) { return "text"; });
void use(const array<float, 1>& x) { text(x); }
