// expect only: an axis is named twice
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 2>& x) { squeeze(x, axis<0, -2>); }
