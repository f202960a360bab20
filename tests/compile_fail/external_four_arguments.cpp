// expect: an external function takes one to three arguments
#include <sinter/dsl/extern_function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

extern_function<float(float, float, float, float)> use("blend", {.cpp = "text"});
