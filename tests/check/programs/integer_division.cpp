#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto halves = fuse([](auto k) { return k / 2; });       // expect: `/` of integers
auto odd = fuse([](auto k, auto n) { return k % n; });  // expect: `%` of integers
auto ratio = fuse([](auto x, auto k) { return x / k; });

int main() {
  const array<int, 1> k = array<int, 1>::from(std::vector<int>{-3, 4});
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  expect(array<float, 1>(astype<float>(halves(k))), {-1, 2});
  expect(array<float, 1>(astype<float>(odd(k, 2))), {-1, 0});
  const array<float, 1> ratios = astype<float>(ratio(x, 2 * k));
  expect(array<float, 1>(ratios * 24), {-4, 6});
  const array<int, 1> quarters = k / 4;  // expect: `/` of integers
  expect(array<float, 1>(astype<float>(quarters)), {0, 1});
  const array<int, 1> of_expression = (2 * k) / 4;  // expect: `/` of integers
  expect(array<float, 1>(astype<float>(of_expression)), {-1, 2});
}
