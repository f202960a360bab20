#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

float gain = 2;
const float fixed_offset = 1;
auto doubled = fuse([](auto x) { return 2 * x; });
auto scaled = fuse([](auto x) { return gain * x + fixed_offset; });  // expect: `gain` is read once
auto composed = [] {
  return fuse([=](auto x) { return doubled(x) + gain; });  // expect: `gain` is read once
}();
auto captured = fuse([factor = gain](auto x) { return factor * x; });

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  expect(scaled(x), {3, 5});
  expect(composed(x), {4, 6});
  gain = 3;
  expect(scaled(x), {4, 7});
  expect(composed(x), {5, 7});
  expect(captured(x), {2, 4});
}
