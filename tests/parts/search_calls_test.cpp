// Searches in sorted arrays, beside the standard library's and NumPy's rules.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sinter::test {
namespace {

template <class T>
std::vector<T> drawn(std::mt19937& from, int count, int least, int most) {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& each : made) each = static_cast<T>(std::uniform_int_distribution<int>(least, most)(from));
  return made;
}

template <class Sorted, class Value>
void check_both_sides(int count, int searched) {
  CAPTURE(count);
  CAPTURE(searched);
  std::mt19937 from(7);
  std::vector<Sorted> sorted = drawn<Sorted>(from, count, 10, 60);
  std::ranges::sort(sorted);
  const std::vector<Value> values = drawn<Value>(from, searched, 0, 70);
  std::vector<std::int64_t> left, right;
  for (const Value value : values) {
    const auto before = [](auto a, auto b) { return static_cast<double>(a) < static_cast<double>(b); };
    left.push_back(std::lower_bound(sorted.begin(), sorted.end(), value, before) - sorted.begin());
    right.push_back(std::upper_bound(sorted.begin(), sorted.end(), value, before) - sorted.begin());
  }
  const array<Sorted, 1> in = array<Sorted, 1>::from(sorted);
  const array<Value, 1> of = array<Value, 1>::from(values);
  const auto both = fuse([](auto in, auto of) {
    return std::tuple(searchsorted(in, of), searchsorted(in, of, search_side::right));
  });
  const auto [found_left, found_right] = both(in, of);
  CHECK(found_left.to_vector() == left);
  CHECK(found_right.to_vector() == right);
}

}  // namespace

TEST_SUITE("calls of searches") {
  TEST_CASE("searchsorted finds what the standard library's bounds are, in arrays of any length") {
    for (const int count : {0, 1, 2, 3, 7, 8, 64, 1000})
      for (const int searched : {1, 5, 64, 100, 1003}) check_both_sides<float, float>(count, searched);
  }

  TEST_CASE("elements and values may have types of their own") {
    check_both_sides<std::int32_t, double>(100, 200);
    check_both_sides<std::uint8_t, std::int64_t>(100, 200);
    check_both_sides<double, float>(100, 200);
    check_both_sides<std::int64_t, std::uint64_t>(100, 200);
    check_both_sides<float16, float>(100, 200);
  }

  TEST_CASE("NaN is the greatest number, as in NumPy") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const array<float, 1> in = array<float, 1>::from({-inf, 0, 1, inf, nan, nan}),
                          of = array<float, 1>::from({nan, inf, -inf, 0.5f, -0.f});
    CHECK(array<std::int64_t, 1>(searchsorted(in, of)).to_vector() ==
          std::vector<std::int64_t>{4, 3, 0, 2, 1});
    CHECK(array<std::int64_t, 1>(searchsorted(in, of, search_side::right)).to_vector() ==
          std::vector<std::int64_t>{6, 4, 1, 2, 2});
  }

  TEST_CASE("what is searched may be a number, of any rank, a view, and computed") {
    const array<float, 1> in = arange<float>(0.f, 10.f);
    const auto one = fuse([](auto in, auto x) { return searchsorted(in, x); });
    CHECK(array<std::int64_t, 0>(one(in, 2.5f)).to_vector() == std::vector<std::int64_t>{3});
    const array<float, 2> of = array<float, 2>::from(std::vector<float>{-1, 2.5f, 4, 30}, {2, 2});
    CHECK(array<std::int64_t, 2>(searchsorted(in, of)).to_vector() == std::vector<std::int64_t>{0, 3, 4, 10});
    const auto twice = fuse([](auto in, auto x) { return searchsorted(in(slice(0, 10, 2)) * 2, x); });
    CHECK(array<std::int64_t, 2>(twice(in, of)).to_vector() == std::vector<std::int64_t>{0, 1, 1, 5});
    const auto every_other = fuse([](auto in, auto x) { return searchsorted(in(slice(1, 10, 3)), x); });
    CHECK(array<std::int64_t, 2>(every_other(in, of)).to_vector() == std::vector<std::int64_t>{0, 1, 1, 3});
    const auto of_sums =
        fuse([](auto in, auto x) { return searchsorted(cumsum(in, axis<0>), x, search_side::right); });
    CHECK(array<std::int64_t, 2>(of_sums(in, of)).to_vector() == std::vector<std::int64_t>{0, 2, 3, 8});
  }

  TEST_CASE("a search fuses with what follows: bins and reductions of them") {
    const array<float, 1> edges = array<float, 1>::from({0, 1, 10, 100});
    const array<float, 1> x = array<float, 1>::from({0.5f, 3, 5, 50, 500, -1});
    const auto in_bin =
        fuse([](auto edges, auto x) { return sum(searchsorted(edges, x, search_side::right) == 2); });
    CHECK(array<std::int64_t, 0>(in_bin(edges, x)).to_vector() == std::vector<std::int64_t>{2});
  }

  TEST_CASE("interp is linear between points, and NumPy's at and beyond them") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const array<double, 1> xp = array<double, 1>::from({1, 2, 4}), fp = array<double, 1>::from({10, 30, -10}),
                           x = array<double, 1>::from({0, 1, 1.5, 2, 3, 4, 5, nan});
    std::vector<double> made = array<double, 1>(interp(x, xp, fp)).to_vector();
    CHECK(std::isnan(made.back()));
    made.pop_back();
    CHECK(made == std::vector<double>{10, 10, 20, 30, 10, -10, -10});
    made = array<double, 1>(interp(x, xp, fp, -1, 7.5)).to_vector();
    made.pop_back();
    CHECK(made == std::vector<double>{-1, 10, 20, 30, 10, -10, 7.5});
  }

  TEST_CASE("interp of one point, of equal points and of infinite values") {
    const double inf = std::numeric_limits<double>::infinity();
    const array<double, 1> x = array<double, 1>::from({0, 1, 2});
    CHECK(array<double, 1>(interp(x, array<double, 1>::from({1}), array<double, 1>::from({5}), -1, 9))
              .to_vector() == std::vector<double>{-1, 5, 9});
    CHECK(array<double, 1>(
              interp(x, array<double, 1>::from({0, 1, 1, 2}), array<double, 1>::from({0, 1, 3, 4})))
              .to_vector() == std::vector<double>{0, 3, 4});
    CHECK(
        array<double, 1>(interp(array<double, 1>::from({0.5, 1.5}), x, array<double, 1>::from({inf, inf, 1})))
            .to_vector() == std::vector<double>{inf, inf});
    CHECK_THROWS_AS(static_cast<void>(array<double, 1>(interp(x, x, array<double, 1>::from({5.0}))).size()),
                    shape_error);
    const array<double, 1> none(shape<1>{0});
    CHECK_THROWS_AS(static_cast<void>(array<double, 1>(interp(x, none, none)).size()), shape_error);
  }

  TEST_CASE("interp of integers is float64, and of a lambda's numbers what they meet") {
    const array<int, 1> xp = array<int, 1>::from({0, 10}), fp = array<int, 1>::from({0, 5});
    const array<double, 1> made = interp(array<int, 1>::from({3, 4}), xp, fp);
    CHECK(made.to_vector() == std::vector<double>{1.5, 2});
    const auto at = fuse([](auto xp, auto fp) { return interp(2.5f, astype<float>(xp), fp * 2.f); });
    CHECK(array<float, 0>(at(xp, fp)).to_vector() == std::vector<float>{2.5f});
  }
}

}  // namespace sinter::test
