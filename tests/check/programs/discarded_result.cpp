#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto doubled = fuse([](auto x) {
  exp(x);  // expect: the value, which no result needs, is dropped
  return 2 * x;
});

auto ends = fuse([](auto x) { return std::tuple(min(x), max(x)); });
int layers = 0;
auto register_layer(float weight) {
  ++layers;
  return fuse([weight](auto x) { return weight * x; });
}
float next_weight() {
  ++layers;
  return 1;
}

int main() {
  array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  doubled(x);               // no fix, expect: the array that this computes is dropped
  x + 1;                    // expect: the expression, which nothing evaluates, is dropped
  x.copy();                 // expect: the array that this computes is dropped
  ends(x);                  // no fix, expect: the arrays that this computes is dropped
  register_layer(2);        // no fix, expect: the function that this makes is not called and is dropped
  x + next_weight();        // no fix, expect: the expression, which nothing evaluates, is dropped
  exp(x) + x(slice(0, 2));  // expect: the expression, which nothing evaluates, is dropped
  doubled.into(x)(x);
  x(0) = 3;
  x += 1;
  expect(x, {4, 5});
  if (layers != 2) return 1;
}
