// expect: permute<...> names every axis of its operand once
#include <sinter/sinter.hpp>
using namespace sinter;

auto use(const array<float, 2>& x) { return permute<0, 0>(x); }
