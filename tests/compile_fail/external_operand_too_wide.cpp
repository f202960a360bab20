// expect: an operand does not fit the argument of the external function: convert it with astype<T>(x)
#include <sinter/dsl/extern_function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

array<float, 1> use(const extern_function<float(int)>& blend, const array<float, 1>& x) { return blend(x); }
