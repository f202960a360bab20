// Arrays, values and expressions like another: zeros_like, ones_like, full_like, empty_like.
#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include <sinter/sinter.hpp>

using namespace sinter;

TEST_SUITE("arrays like others") {
  TEST_CASE("of an array or a view they are arrays with its extents, element type and device") {
    const auto m = array<std::int16_t, 2>::from({{1, 2, 3}, {4, 5, 6}});
    const array<std::int16_t, 2> zeros = zeros_like(m);
    CHECK(zeros.shape() == m.shape());
    CHECK(zeros.device() == m.device());
    CHECK(zeros.to_vector() == std::vector<std::int16_t>(6, 0));
    const array<std::int16_t, 1> ones = ones_like(m(1));
    CHECK(ones.to_vector() == std::vector<std::int16_t>(3, 1));
    const array<double, 2> full = full_like<double>(transpose(m), 2.5);
    CHECK(full.shape() == shape<2>(3, 2));
    CHECK(full.to_vector() == std::vector<double>(6, 2.5));
    CHECK(empty_like(m).shape() == m.shape());
  }
  TEST_CASE("of a value they are values, in the shape that it has in the call") {
    const auto f =
        fuse([](auto x) { return std::tuple(zeros_like(x) + x(0), full_like<std::int32_t>(x, 7)); });
    for (const int rows : {1, 3}) {
      const auto [first, sevens] = f(array<float, 2>::from(std::vector<float>(2 * rows, 4), {rows, 2}));
      static_assert(std::is_same_v<decltype(first), const array<float, 2>>);
      CHECK(first.to_vector() == std::vector<float>(2 * rows, 4));
      CHECK(sevens.to_vector() == std::vector<std::int32_t>(2 * rows, 7));
    }
  }
  TEST_CASE("of an expression they are expressions") {
    const auto x = array<float, 1>::from({1, 2, 3});
    const array<float, 1> made = ones_like(x * 2) + x;
    CHECK(made.to_vector() == std::vector<float>{2, 3, 4});
  }
  TEST_CASE("of an element they are one") {
    const auto x = array<float, 1>::from({1, 2, 3});
    const array<float, 0> zero = evaluate(zeros_like(sum(x)));
    CHECK(zero.item() == 0);
  }
  TEST_CASE("an integer outside of the range of the elements is refused") {
    const auto x = array<std::uint8_t, 1>::from({1, 2});
    CHECK_THROWS_AS(full_like(x, 300), type_error);
  }
}
