// expect: say x.copy() to copy an array
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 1>& x) { array z = x; }
