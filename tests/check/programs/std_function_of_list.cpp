// without fixes: Sinter's functions take neither lists nor functions that compare
#include <algorithm>
#include <cmath>
#include <functional>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto of_list = fuse([](auto x, auto y) { return std::max({x, y}); });  // expect: `maximum` does
auto by_comparison =
    fuse([](auto x, auto y) { return std::min(x, y, std::less<>()); });  // expect: `minimum` does
auto without_own = fuse([](auto x, auto y) {
  return std::fdim(x, y) + std::round(x) * y;  // expect: Sinter has no function; Sinter has no function
});

int main() {}
