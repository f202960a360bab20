// expect: this view has a name: say v.refer_to(w) to view other elements, or v() = w to write elements
#include <sinter/sinter.hpp>
using namespace sinter;

void use(view<float, 2> rows, const array<float, 2>& x) { rows = x(0); }
