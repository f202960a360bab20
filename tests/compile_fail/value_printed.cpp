// expect: a value has no elements while recording: return it, and print the array
#include <sinter/sinter.hpp>

#include <iostream>
using namespace sinter;

auto f = fuse([](auto x) {
  std::cout << x;
  return x;
});
auto use(const array<float, 2>& x) { return f(x); }
