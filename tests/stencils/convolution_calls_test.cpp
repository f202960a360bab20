// Calls of convolutions, as users write them, beside sums by the definition.

#include <doctest/doctest.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace sinter::test {
namespace {

using floats = std::vector<float>;

template <class T>
array<T, 1> vector_of(const std::vector<T>& elements) {
  return array<T, 1>::from(elements);
}
template <class T, class Expression>
std::vector<T> vector_from(const Expression& expression) {
  return array<T, 1>(expression).to_vector();
}
std::vector<int> small_numbers(std::size_t count, int factor) {
  std::vector<int> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(static_cast<int>(i) * factor % 19 - 9);
  return made;
}

/// All sums, and of these the ones that NumPy's mode has.
std::vector<int> convolved(const std::vector<int>& x, const std::vector<int>& kernel, convolution mode) {
  std::vector<int> all(x.size() + kernel.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < kernel.size(); ++j) all[i + j] += x[i] * kernel[j];
  const std::size_t shorter = std::min(x.size(), kernel.size()), longer = std::max(x.size(), kernel.size());
  if (mode == convolution::full) return all;
  const bool is_same = mode == convolution::same;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(is_same ? (shorter - 1) / 2 : shorter - 1);
  return {first, first + static_cast<std::ptrdiff_t>(is_same ? longer : longer - shorter + 1)};
}

}  // namespace

TEST_SUITE("calls of convolutions") {
  TEST_CASE("each mode has NumPy's elements, whichever is longer") {
    const auto of_mode = [](convolution mode) {
      return fuse([mode](auto x, auto kernel) { return convolve(x, kernel, mode); });
    };
    for (const convolution mode : {convolution::full, convolution::same, convolution::valid}) {
      const auto function = of_mode(mode);
      for (const std::size_t n : {1u, 2u, 3u, 4u, 7u, 16u, 33u, 500u})
        for (const std::size_t m : {1u, 2u, 3u, 4u, 5u, 15u, 34u}) {
          CAPTURE(static_cast<int>(mode));
          CAPTURE(n);
          CAPTURE(m);
          const std::vector<int> x = small_numbers(n, 7), kernel = small_numbers(m, 5);
          const std::vector<int> wanted = convolved(x, kernel, mode);
          CHECK(function(vector_of(x), vector_of(kernel)).to_vector() == wanted);
          CHECK(function.general()(vector_of(x), vector_of(kernel)).to_vector() == wanted);
        }
    }
  }
  TEST_CASE("one kernel serves all extents") {
    const auto function = fuse([](auto x, auto kernel) { return convolve(x, kernel, convolution::same); });
    const auto general = function.general();
    general(vector_of(small_numbers(9, 7)), vector_of(small_numbers(3, 5)));
    const std::vector<int> x = small_numbers(100, 7), kernel = small_numbers(6, 5);
    CHECK(general(vector_of(x), vector_of(kernel)).to_vector() == convolved(x, kernel, convolution::same));
  }
  TEST_CASE("what is computed is convolved where it is, and its result goes on") {
    const array<float, 1> x = vector_of<float>({1, 4, 9, 16}), kernel = vector_of<float>({1, 2, -1});
    CHECK(vector_from<float>(convolve(x, kernel)) == floats{1, 6, 16, 30, 23, -16});
    CHECK(vector_from<float>(convolve(x * 2, kernel, convolution::same) + 1) == floats{13, 33, 61, 47});
    const auto fused = fuse([](auto x, auto k) { return sum(convolve(x - 1, k * 2, convolution::valid)); });
    CHECK(fused(x, kernel).to_vector() == floats{2 * (16 - 2 + 30 - 2)});
    CHECK(fused.strict()(x, kernel).to_vector() == fused.fast()(x, kernel).to_vector());
  }
  TEST_CASE("along an axis of several") {
    const array<float, 2> x = array<float, 2>::from(floats{1, 2, 3, 4, 5, 6}, {2, 3});
    const array<float, 1> kernel = vector_of<float>({1, -1});
    const array<float, 2> rows = convolve(x, kernel, convolution::full, axis<1>);
    CHECK(rows.to_vector() == floats{1, 1, 1, -3, 4, 1, 1, -6});
    const array<float, 2> columns = convolve(x, kernel, convolution::valid, axis<0>);
    CHECK(columns.to_vector() == floats{3, 3, 3});
    const auto blurred = fuse([](auto x, auto k) {
      return convolve(convolve(x, k, convolution::same, axis<0>), k, convolution::same, axis<-1>);
    });
    CHECK(blurred(x, kernel).to_vector() == floats{1, 1, 1, 3, 0, 0});
    CHECK(array<float, 2>(convolve(array<float, 2>({0, 3}), kernel, convolution::full, axis<1>)).shape()[1] ==
          4);
    CHECK_THROWS_AS(blurred(array<float, 2>({0, 3}), kernel), shape_error);
  }
  TEST_CASE("correlate has the kernel in its order, and the conjugates of complex numbers") {
    const array<float, 1> x = vector_of<float>({1, 4, 9, 16, 27}), kernel = vector_of<float>({1, 2, -1});
    CHECK(vector_from<float>(correlate(x, kernel)) == floats{0, 6, 14});
    CHECK(vector_from<float>(correlate(x, kernel, convolution::same)) == floats{-2, 0, 6, 14, 70});
    CHECK(vector_from<float>(correlate(kernel, x, convolution::same)) == floats{70, 14, 6, 0, -2});
    const array<float, 1> pair = vector_of<float>({1, 10}), four = vector_of<float>({1, 2, 3, 4});
    CHECK(vector_from<float>(correlate(four, pair, convolution::same)) == floats{10, 21, 32, 43});
    CHECK(vector_from<float>(correlate(pair, four, convolution::same)) == floats{43, 32, 21, 10});
    using number = std::complex<float>;
    CHECK(vector_from<number>(correlate(vector_of<number>({{1, 1}}), vector_of<number>({{0, 2}}))) ==
          std::vector<number>{{2, -2}});
  }
  TEST_CASE("types are promoted, integers wrap, and booleans are combined by `and` and `or`") {
    using small = std::vector<std::int8_t>;
    CHECK(vector_from<std::int8_t>(convolve(vector_of<std::int8_t>({100, 100}),
                                            vector_of<std::int8_t>({2, 1}))) == small{-56, 44, 100});
    CHECK(vector_from<double>(convolve(vector_of<int>({1, 2}), vector_of<float>({0.5f}))) ==
          std::vector<double>{0.5, 1});
    CHECK(vector_from<bool>(convolve(vector_of<bool>({true, false, false}), vector_of<bool>({true, true}))) ==
          std::vector<bool>{true, true, false, false});
  }
  TEST_CASE("an infinite element of the kernel meets no zero past an end") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    CHECK(vector_from<float>(convolve(vector_of<float>({1, 2}), vector_of<float>({3, infinity}))) ==
          floats{3, infinity, infinity});
  }
  TEST_CASE("nothing is convolved with nothing") {
    const auto function = fuse([](auto x, auto kernel) { return convolve(x, kernel); });
    const array<float, 1> none = zeros<float>(0), some = vector_of<float>({1, 2});
    CHECK_THROWS_AS(function(none, some), shape_error);
    CHECK_THROWS_AS(function(some, none), shape_error);
    CHECK_THROWS_AS(function(none, vector_of<float>({1})), shape_error);
    CHECK_THROWS_AS(function.general()(none, some), shape_error);
  }
}

}  // namespace sinter::test
