// expect: a fused function takes arrays, views, expressions, numbers and values
#include <sinter/sinter.hpp>
using namespace sinter;

auto same = fuse([](auto x) { return x; });
void use() { same("text"); }
