#include <array>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto rooted = fuse([](auto x) {
  auto y = x;
  for (int i = 0; i < 100; ++i) y = 0.5f * (y + x / y);  // expect: into the kernel 100 times
  for (int i = 0; i < 65; i += 1) {                      // expect: into the kernel 65 times
    y += x;
  }
  for (int i = 0; i < 64; ++i) y = y - x;
  int host = 0;
  for (int i = 0; i < 1000; ++i) host += i;
  return y + 0 * host;
});
auto nested = fuse([](auto x) {
  auto y = x;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) y = y + x;  // expect: into the kernel 100 times
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) y = y - x;
  return y;
});
constexpr std::array<float, 3> factors = {1, 2, 3};
auto over_ranges = fuse([](auto x) {
  auto y = 0 * x;
  for (const float factor : factors)
    for (int i = 0; i < 30; ++i) y = y + x;  // expect: into the kernel 90 times
  const float table[65] = {};
  for (const float factor : table) y = y + factor * x;  // no fix, expect: into the kernel 65 times
  for (const float factor : {1.f, 2.f}) y = y - factor * x;
  return y;
});

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{4, 16});
  expect(rooted(x), {6, 20});
  expect(nested(x), {148, 592});
  expect(over_ranges(x), {348, 1392});
}
