// expect: an external function takes and returns numbers and bool by value
#include <sinter/dsl/extern_function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

extern_function<void(float)> use("blend", {.cpp = "text"});
