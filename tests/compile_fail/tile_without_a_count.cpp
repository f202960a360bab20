// expect only: tile takes a count for each axis
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 2>& x) { tile(x, 2); }
