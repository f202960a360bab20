#include <functional>

#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto scaled(float factor) {
  return fuse([&](auto x) { return factor * x; });  // expect: `factor` ends with its function
}
auto shifted_by_name(float by) {
  auto f = fuse([&by](auto x) { return x + by; });  // expect: `by` ends with its function
  return f;
}
struct layer {
  std::function<array<float, 1>(const array<float, 1>&)> apply;
  void set(float weight) {
    apply = fuse([&weight](auto x) { return weight * x; });  // expect: `weight` ends with its function
  }
};
array<float, 1> used_here(const array<float, 1>& x, float by) {
  auto f = fuse([&](auto y) { return y + by; });
  return f(x);
}

int main() {
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  expect(scaled(2)(x), {2, 4});
  expect(shifted_by_name(2)(x), {3, 4});
  layer made;
  made.set(3);
  expect(made.apply(x), {3, 6});
  expect(used_here(x, 1), {2, 3});
}
