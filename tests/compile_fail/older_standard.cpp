// expect: Sinter needs C++20: compile with -std=c++20
#undef __cplusplus
#define __cplusplus 201703L
#include <sinter/sinter.hpp>
