// Views as in NumPy, on arrays and inside kernels: they copy nothing.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <vector>

#include "check.hpp"

using namespace sinter;

int main() {
  std::vector<float> numbers(12);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  array<float, 2> a = array<float, 2>::from(numbers, {3, 4});  // 0 1 2 3 / 4 5 6 7 / 8 9 10 11

  using row = std::vector<float>;
  check(array<float, 2>(transpose(a)).to_vector() == row{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, "transpose");
  check(array<float, 2>(flip<0>(a)).to_vector() == row{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}, "flip");
  check(array<float, 1>(a(1, all())).to_vector() == row{4, 5, 6, 7}, "an integer drops an axis");
  check(array<float, 1>(a(all(), -1)).to_vector() == row{3, 7, 11}, "counted from the back");
  check(array<float, 1>(a(0, slice(end, end, -1))).to_vector() == row{3, 2, 1, 0}, "a step backwards");
  check(array<float, 2>(a(slice(0, end, 2), slice(1, 3))).to_vector() == row{1, 2, 9, 10},
        "bounds and steps");

  // Views mean the same inside a kernel. The sum of neighbours along a row reads each element once.
  auto neighbours = fuse([](auto x) { return x(all(), slice(1, end)) + x(all(), slice(0, -1)); });
  check(neighbours(a).to_vector() == row{1, 3, 5, 9, 11, 13, 17, 19, 21}, "a stencil");

  // An outer difference by a new axis.
  auto outer = fuse([](auto x, auto y) { return x(all(), newaxis) - y; });
  const array<float, 1> first = a(all(), 0), second = a(0, slice(0, 2));
  check(outer(first, second).to_vector() == row{0, -1, 4, 3, 8, 7}, "an outer difference");

  // Views can be written to.
  a(slice(0, 2), slice(0, 2)) = 0;
  a(2, all()) = a(1, all()) * 10;
  check(a.to_vector() == row{0, 0, 2, 3, 0, 0, 6, 7, 0, 0, 60, 70}, "assignment to views");
  std::puts("views: ok");
}
