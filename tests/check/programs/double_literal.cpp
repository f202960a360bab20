#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto ramp =
    fuse([](auto x) { return x + (coordinate<0>(x) + -1.5); });  // expect: `1.5` makes integers double
auto mixed = fuse([](auto x, auto k) {
  const auto half = k * 0.5;  // expect: `0.5` makes integers double
  return x * half;
});
auto halved = fuse([](auto k) { return k * 0.5; });
auto scaled = fuse([](auto x) { return 2.5 * x; });
auto of_halves =
    fuse([](auto x) { return x + coordinate<0>(x) * 0.5; });  // expect: `0.5` makes integers double
auto both = fuse([](auto x) { return 0.1 * x; });

int main() {
  const array<int, 1> k = array<int, 1>::from(std::vector<int>{1, 2});
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  auto products = mixed(x, k);
  expect_type<decltype(products), array<float, 1>>();
  expect(products, {0.5f, 2});
  expect_type<decltype(halved(k)), array<double, 1>>();
  expect(ramp(x), {-0.5f, 1.5f});
  expect(scaled(x), {2.5f, 5});
  expect(array<float, 1>(astype<float>(of_halves(array<float16, 1>(astype<float16>(x))))), {1, 2.5f});
  const array<double, 1> tenths = both(astype<double>(x));
  const array<double, 1> of_integers = both(k);
  expect(array<float, 1>(astype<float>(of_integers - tenths)), {0, 0});
}
