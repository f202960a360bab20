// Accumulators: what a loop adds up that unrolls while recording, from nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

using namespace sinter;

TEST_SUITE("accumulators") {
  TEST_CASE("a sum starts with its first term") {
    const auto x = array<float, 1>::from({1, 2, 3, 4, 5});
    const float weights[] = {1, 10, 100};
    const auto weighted = fuse([&](auto v) {
      accumulator<float, 1> total;
      for (int tap = 0; tap != 3; ++tap)
        total += weights[tap] * v(slice(tap, slice_bound(tap - 2 == 0 ? 5 : tap - 2)));
      return total.result();
    });
    CHECK(weighted(x).to_vector() == std::vector<float>{321, 432, 543});
  }
  TEST_CASE("the first term is taken as it is: a sum of negative zeros is one") {
    const auto zero = array<float, 1>::from({-0.0f});
    const auto sum_of_two = fuse([](auto v) {
      auto total = accumulator_like(v);
      total += v;
      total += v;
      return total.result();
    });
    CHECK(std::signbit(sum_of_two(zero).item()));
  }
  TEST_CASE("operands of a lower rank and numbers get new axes, and are broadcast") {
    const auto m = array<float, 2>::from({{1, 2}, {3, 4}});
    const auto rows = array<float, 1>::from({10, 20});
    const auto made = fuse([&](auto v) {
      accumulator<float, 2> total;
      total += rows;
      total += 1;
      total += v;
      return total.result();
    })(m);
    CHECK(made.to_vector() == std::vector<float>{12, 23, 14, 25});
  }
  TEST_CASE("products and combinations of one's own") {
    const auto x = array<float, 1>::from({1, 2, 3});
    const auto [product, largest] = fuse([](auto v) {
      auto product_of = accumulator_like(v), largest_of = accumulator_like(v);
      for (int i = 1; i != 4; ++i) {
        product_of *= v + i;
        largest_of.combine([](auto a, auto b) { return maximum(a, b); }, v * (2 - i));
      }
      return std::tuple(product_of.result(), largest_of.result());
    })(x);
    CHECK(product.to_vector() == std::vector<float>{24, 60, 120});
    CHECK(largest.to_vector() == std::vector<float>{1, 2, 3});
  }
  TEST_CASE("a mismatch of shapes names the line of the program") {
    const auto x = array<float, 1>::from({1, 2, 3}), y = array<float, 1>::from({1, 2});
    const auto mismatched = fuse([](auto v, auto w) {
      auto total = accumulator_like(v);
      total += v;
      total += w;
      return total.result();
    });
    CHECK_THROWS_WITH_AS((void)mismatched(x, y), doctest::Contains("accumulator_test.cpp"), shape_error);
  }
  TEST_CASE("nothing has no value, and says what to start with") {
    const auto x = array<float, 1>::from({1});
    const auto empty = fuse([](auto v) {
      const auto total = accumulator_like(v);
      CHECK(total.empty());
      return total.result();
    });
    CHECK_THROWS_WITH_AS(empty(x), doctest::Contains("zeros_like(x)"), error);
  }
}
