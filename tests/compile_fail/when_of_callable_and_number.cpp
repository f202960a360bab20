// expect only: use where(condition, a, b) for values; when takes callables
#include <sinter/sinter.hpp>
using namespace sinter;

auto chosen = fuse([](value<float, 1> x) { return when(x > 0, [&] { return log(x); }, 2) + 1; });
auto use(const array<float, 1>& x) { return chosen(x); }
