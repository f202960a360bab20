#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto doubled = fuse([](auto x) {
  exp(x);  // expect: the value, which no result needs, is dropped
  return 2 * x;
});

int main() {
  array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  doubled(x);  // no fix, expect: the array that this computes is dropped
  x + 1;       // expect: the expression, which nothing evaluates, is dropped
  x.copy();    // expect: the array that this computes is dropped
  doubled.into(x)(x);
  x(0) = 3;
  x += 1;
  expect(x, {4, 5});
}
