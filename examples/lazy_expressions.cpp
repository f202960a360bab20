// Array maths without a lambda: an expression is evaluated when it is assigned, in one kernel.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"

using namespace sinter;

int main() {
  using numbers = std::vector<float>;
  const array<float, 1> x = array<float, 1>::from(numbers{-2, -1, 1, 2}, {4});
  const array<float, 1> y = array<float, 1>::from(numbers{1, 2, 3, 4}, {4});

  array<float, 1> z = where(x > 0, x * y + 1, y - x);  // one kernel, one pass over x and y
  check(z.to_vector() == numbers{3, 3, 4, 9}, "where");

  z += x;
  check(z.to_vector() == numbers{1, 2, 5, 11}, "+=");
  z(slice(0, 2)) = 0;
  check(z.to_vector() == numbers{0, 0, 5, 11}, "assignment to a slice");

  // An expression is not evaluated until it is assigned, and may be part of another.
  const auto distance = sqrt(x * x + y * y);
  const array<float, 1> halved = distance / 2;
  check(halved.to_vector()[3] == std::sqrt(20.f) / 2, "an expression inside another");
  std::puts("lazy expressions: ok");
}
