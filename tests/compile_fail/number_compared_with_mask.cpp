// expect: 0.5 < x < 2 is written 0.5 < x && x < 2
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<int, 1>& x, const array<int, 1>& y) { return 2 > (x < y); }
