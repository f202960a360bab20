// expect: 0.5 < x < 2 is written 0.5 < x && x < 2
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const view<bool, 1>& mask) { return mask > 0; }
