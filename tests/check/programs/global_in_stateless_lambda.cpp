#include <array>

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

struct {
  float gain = 2;
} settings;
std::array<float, 2> factors = {1, 2};
std::vector<float> biases = {1, 2};
float table[2] = {1, 2};
auto by_member = fuse([](auto x) { return settings.gain * x; });  // expect: `settings` is read once
auto by_elements = fuse(
    [](auto x) { return factors[1] * x + biases.at(0); });  // expect: `factors` is read; `biases` is read
auto by_array = fuse([](auto x) { return table[1] * x; });  // expect: `table` is read once
auto by_size = fuse([](auto x) { return x * static_cast<int>(biases.size()); });
array<float, 1> with_static(const array<float, 1>& x) {
  static float factor = 1;
  factor += 1;
  return fuse([](auto y) { return factor * y; })(x);  // expect: `factor` is read once
}

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  expect(scaled(x), {3, 5});
  expect(composed(x), {4, 6});
  gain = 3;
  expect(scaled(x), {4, 7});
  expect(composed(x), {5, 7});
  expect(captured(x), {2, 4});
  expect(by_member(x), {2, 4});
  expect(by_elements(x), {3, 5});
  expect(by_array(x), {2, 4});
  settings.gain = factors[1] = table[1] = 3;
  biases[0] = 2;
  expect(by_member(x), {3, 6});
  expect(by_elements(x), {5, 8});
  expect(by_array(x), {3, 6});
  expect(by_size(x), {2, 4});
  expect(with_static(x), {2, 4});
  expect(with_static(x), {3, 6});
}
