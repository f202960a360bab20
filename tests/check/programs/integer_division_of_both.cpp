// without fixes: the same division is one of floats elsewhere
#include <sinter/sinter.hpp>

#include "expected.hpp"
using namespace sinter;

auto ratio = fuse([](auto x, auto k) { return x / k; });  // expect: `/` of integers

int main() {
  const array<int, 1> k = array<int, 1>::from(std::vector<int>{-3, 4});
  const array<float, 1> x = array<float, 1>::from(std::vector<float>{1, 2});
  const array<float, 1> of_floats = ratio(x, x);
  const array<int, 1> of_integers = ratio(k, k);
}
