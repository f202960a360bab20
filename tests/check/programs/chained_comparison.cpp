#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto within = fuse([](auto x) { return where(0.5f < x < 2, x, 0); });  // expect: a chain of comparisons
auto counted = fuse([](auto x, auto low, auto high) {
  return astype<float>(sum(astype<int>(low <= x < high))) + 0 * x;  // expect: a chain of comparisons
});
auto of_arrays(const array<float, 1>& x) {
  return 0 < x < 2;  // expect: a chain of comparisons
}
bool of_numbers(int a, int b) { return (a < b) < 2; }

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{0, 1, 3});
  expect(within(x), {0, 1, 0});
  expect(counted(x, 0.f, 3.f), {2, 2, 2});
  const array<float, 1> numbers = astype<float>(of_arrays(x));
  expect(numbers, {0, 1, 0});
  return of_numbers(2, 1) ? 0 : 1;
}
