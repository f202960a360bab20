// expect: this view has a name: say v.refer_to(w) to view other elements, or v() = w to write elements
#include <sinter/sinter.hpp>

#include <utility>
using namespace sinter;

void use(view<float, 1> v, view<float, 1> w) { std::swap(v, w); }
