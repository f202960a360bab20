#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto doubled = fuse([](auto x) { return 2 * x; });

auto first_two(const array<float, 1>& x) {
  array<float, 1> y = doubled(x);
  return y(slice(0, 2));  // expect: `y` ends with this function
}
auto more(const array<float, 1>& x) {
  array<float, 1> y = doubled(x);
  return y + 1;  // expect: `y` ends with this function
}
auto part(const array<float, 1>& x) { return x(slice(0, 2)); }
array<float, 1> owned(const array<float, 1>& x) {
  array<float, 1> y = doubled(x);
  return y + 1;
}

auto largest = fuse([](auto x) { return max(x); });
auto by_number(const array<float, 1>& x) {
  array<float, 0> m = largest(x);
  return x / m.item();
}
auto by_extent(const array<float, 1>& x) {
  array<float, 1> y = doubled(x);
  return x * static_cast<float>(y.shape()[0]);
}
auto both(const array<float, 1>& x) {
  array<float, 1> y = doubled(x);
  return (x + 1) * -y;  // expect: `y` ends with this function
}

array<float, 1> body_of(const array<float, 1>& x) {
  array<float, 1> y = doubled(x), chosen = doubled(x);
  chosen() = when(y > 100, [&] { return y * 10; }, [] { return -1; });
  return chosen;
}

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2, 3});
  view<float, 1> elements(doubled(x).data(), {3});  // expect: this array ends with the statement
  expect(array<float, 1>(elements + 0), {2, 4, 6});
  expect(array<float, 1>(first_two(x)), {2, 4});
  expect(array<float, 1>(more(x)), {3, 5, 7});
  expect(array<float, 1>(part(x)), {1, 2});
  expect(body_of(x), {-1, -1, -1});
  expect(owned(x), {3, 5, 7});
  expect(array<float, 1>(3 * by_number(x)), {1, 2, 3});
  expect(array<float, 1>(by_extent(x)), {3, 6, 9});
  expect(array<float, 1>(both(x)), {-4, -12, -24});
}
