// expect: pass a complex one as its parts
#include <sinter/complex.hpp>
#include <sinter/dsl/extern_function.hpp>
using namespace sinter;

void use() { extern_function<std::complex<float>(float)> turned("turned", {.cuda = ""}); }
