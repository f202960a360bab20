// expect only: sizes, counts and distances are integers
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 2>& x) { roll(x, 1.5, axis<0>); }
