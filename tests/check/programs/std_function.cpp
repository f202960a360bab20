#include <cmath>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

float scale = 4;
auto grown = fuse([scale = scale](auto x) {
  auto y = std::exp(x) - std::exp(x);          // expect: `std::exp` does not; `std::exp` does not
  return y + std::fabs(x) * std::sqrt(scale);  // expect: `std::fabs` does not take values
});
auto larger = fuse([](auto x, auto y) {
  return std::max(x, y) + 0 * std::pow(x, 2);  // expect: `std::max` does; `std::pow` does
});

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{-1, 2});
  expect(grown(x), {2, 4});
  expect(larger(x, -x), {1, 2});
  array<float, 1> z = std::abs(x);  // expect: `std::abs` does not take values
  expect(z, {1, 2});
}
