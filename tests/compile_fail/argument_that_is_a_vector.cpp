// expect: a fused function takes no containers: say std::span(v)
#include <sinter/sinter.hpp>

#include <vector>
using namespace sinter;

auto same = fuse([](auto x) { return x; });
auto use(const std::vector<float>& x) { return same(x); }
