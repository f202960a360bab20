// expect only: an index has one ellipsis
#include <sinter/sinter.hpp>
using namespace sinter;

void use(const array<float, 2>& x) { x(ellipsis, ellipsis); }
