// Calls that read at indices, as users write them: shapes, kinds of indices, and what is out of range.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

namespace sinter::test {
namespace {

template <class T, unsigned Rank>
std::vector<T> elements(const array<T, Rank>& of) {
  return of.to_vector();
}

array<float, 2> table() {
  std::vector<float> numbers(12);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  return array<float, 2>::from(numbers, {4, 3});
}

}  // namespace

TEST_SUITE("calls of gathers") {
  TEST_CASE("take has a row or a column for each index, whose axes stand where the axis was") {
    const array<float, 2> rows = take(table(), array<int, 1>::from({2, 0, -1}), axis<0>);
    CHECK(rows.shape() == shape<2>{3, 3});
    CHECK(elements(rows) == std::vector<float>{6, 7, 8, 0, 1, 2, 9, 10, 11});
    const array<float, 2> columns = take(table(), array<std::int64_t, 1>::from({2, 0}), axis<-1>);
    CHECK(elements(columns) == std::vector<float>{2, 0, 5, 3, 8, 6, 11, 9});
    const array<float, 3> blocks =
        take(table(), array<int, 2>::from(std::vector<int>{0, 1, 2, 3}, {2, 2}), axis<0>);
    CHECK(blocks.shape() == shape<3>{2, 2, 3});
    CHECK(elements(blocks) == elements(table()));
  }

  TEST_CASE("an index of rank 0 drops the axis") {
    const auto row = fuse([](auto x, auto i) { return take(x, i, axis<0>); });
    CHECK(elements(row(table(), 2)) == std::vector<float>{6, 7, 8});
    CHECK(elements(row(table(), -1)) == std::vector<float>{9, 10, 11});
    CHECK_THROWS_AS(elements(row(table(), 4)), index_error);
  }

  TEST_CASE("take_along_axis is what an argmax with keepdims asks for") {
    const auto largest =
        fuse([](auto x) { return take_along_axis(x, argmax(x, axis<1>, keepdims), axis<1>); });
    CHECK(elements(largest(table())) == std::vector<float>{2, 5, 8, 11});
  }

  TEST_CASE("gather takes an index for each of the first axes, which are broadcast together") {
    const auto pairs = fuse([](auto x, auto i, auto j) { return gather(x, i, j); });
    const array<int, 1> i = array<int, 1>::from({3, 0, 1});
    CHECK(elements(pairs(table(), i, array<int, 1>::from({0, 2, 1}))) == std::vector<float>{9, 2, 4});
    CHECK(elements(pairs(table(), i, -1)) == std::vector<float>{11, 2, 5});
    CHECK(elements(fuse([](auto x, auto i) { return gather(x, i); })(table(), i)) ==
          std::vector<float>{9, 10, 11, 0, 1, 2, 3, 4, 5});
  }

  TEST_CASE("a boundary may follow the indices of gather") {
    const array<int, 1> rows = array<int, 1>::from({-1, 4, 9}), columns = array<int, 1>::from({0, 3, -1});
    CHECK(elements(array<float, 1>(gather(table(), rows, columns, boundary::clip))) ==
          std::vector<float>{0, 11, 9});
    const auto wrapped = fuse([](auto x, auto i, auto j) { return gather(x, i, j, boundary::wrap); });
    CHECK(elements(wrapped(table(), rows, columns)) == std::vector<float>{9, 0, 5});
    const array<float, 2> kept = gather(table(), rows, boundary::clip);
    CHECK(elements(kept) == std::vector<float>{0, 1, 2, 9, 10, 11, 9, 10, 11});
  }

  TEST_CASE("x(…) takes arrays of indices among its items, as NumPy does") {
    const array<int, 1> i = array<int, 1>::from({3, 0}), j = array<int, 1>::from({1, 1});
    CHECK(elements(array<float, 2>(table()(i, all()))) == std::vector<float>{9, 10, 11, 0, 1, 2});
    CHECK(elements(array<float, 2>(table()(slice(1, 3), j))) == std::vector<float>{4, 4, 7, 7});
    CHECK(elements(array<float, 1>(table()(i, j))) == std::vector<float>{10, 1});
    CHECK(elements(array<float, 1>(table()(i, 2))) == std::vector<float>{11, 2});
    const auto separated = fuse([](auto x, auto i) {
      const auto cube = reshape(x, 2, 2, 3);
      return cube(i, all(), i);
    });
    // indices that a slice separates come first: [2, 2], of cube[i, :, i]
    const array<float, 2> found = separated(table(), array<int, 1>::from({1, 0}));
    CHECK(found.shape() == shape<2>{2, 2});
    CHECK(elements(found) == std::vector<float>{7, 10, 0, 3});
    const auto with_integer = fuse([](auto x, auto i) { return reshape(x, 2, 2, 3)(0, all(), i); });
    CHECK(elements(with_integer(table(), array<int, 1>::from({2, 0}))) == std::vector<float>{2, 5, 0, 3});
  }

  TEST_CASE("indices of every integer type") {
    const auto rows = fuse([](auto x, auto i) { return sum(take(x, i, axis<0>), axis<1>); });
    const auto check = [&]<class T>(T) {
      CHECK(elements(rows(table(), array<T, 1>::from({T(3), T(1)}))) == std::vector<float>{30, 12});
    };
    check(std::int8_t());
    check(std::uint8_t());
    check(std::int16_t());
    check(std::uint16_t());
    check(std::uint32_t());
    check(std::int64_t());
    check(std::uint64_t());
  }

  TEST_CASE(
      "an index out of range throws, and the message has the function, the axis, the index and the extent") {
    const auto rows = fuse("embedding", [](auto x, auto i) { return take(x, i, axis<0>) * 2; });
    for (const std::int64_t index : {4, -5, 1 << 20}) {
      const array<std::int64_t, 1> i = array<std::int64_t, 1>::from({0, index, 1});
      CHECK_THROWS_WITH_AS(elements(rows(table(), i)), doctest::Contains("embedding"), index_error);
      CHECK_THROWS_WITH_AS(elements(rows(table(), i)), doctest::Contains("axis 0"), index_error);
      CHECK_THROWS_WITH_AS(elements(rows(table(), i)),
                           doctest::Contains(("index " + std::to_string(index)).c_str()), index_error);
      CHECK_THROWS_WITH_AS(elements(rows(table(), i)), doctest::Contains("4 elements"), index_error);
    }
    CHECK(elements(rows(table(), array<std::int64_t, 1>::from({1}))) == std::vector<float>{6, 8, 10});
  }

  TEST_CASE("of several indices the message names the axis of the one that is out of range") {
    const array<float, 2> x = table();
    const auto index = [](std::int64_t last) { return array<std::int64_t, 1>::from({0, last}); };
    CHECK_THROWS_WITH_AS(elements(array<float, 1>(gather(x, index(7), index(1)))),
                         doctest::Contains("along axis 0"), index_error);
    CHECK_THROWS_WITH_AS(elements(array<float, 1>(gather(x, index(1), index(7)))),
                         doctest::Contains("along axis 1"), index_error);
  }

  TEST_CASE("an unsigned index never counts from the end") {
    const auto rows = fuse([](auto x, auto i) { return take(x, i, axis<0>); });
    CHECK_THROWS_AS(elements(rows(table(), array<std::uint64_t, 1>::from({~std::uint64_t{0}}))), index_error);
    CHECK_THROWS_AS(elements(rows(table(), array<std::uint32_t, 1>::from({~std::uint32_t{0}}))), index_error);
  }

  TEST_CASE("what wraps around and what is clipped is never out of range") {
    const array<int, 1> i = array<int, 1>::from({5, -5, 100, 1});
    const array<float, 1> x = array<float, 1>::from({10, 11, 12, 13});
    CHECK(elements(array<float, 1>(take(x, i, axis<0>, boundary::wrap))) ==
          std::vector<float>{11, 13, 10, 11});
    CHECK(elements(array<float, 1>(take(x, i, axis<0>, boundary::clip))) ==
          std::vector<float>{13, 10, 13, 11});
  }

  TEST_CASE("an element that is not chosen may have an index out of range") {
    const array<int, 1> i = array<int, 1>::from({0, 9, 2, -9});
    const array<float, 1> x = array<float, 1>::from({10, 11, 12, 13});
    const auto guarded =
        fuse([](auto x, auto i) { return where(i >= 0 && i < 4, take(x, i, axis<0>), -1.0f); });
    CHECK(elements(guarded(x, i)) == std::vector<float>{10, -1, 12, -1});
    const auto otherwise = fuse([](auto x, auto i) {
      const auto y = take(x, i, axis<0>);
      return where(i > 3, 0.0f, where(i < 0, 1.0f, y + y));
    });
    CHECK(elements(otherwise(x, i)) == std::vector<float>{20, 0, 24, 1});
    // used on one side and on the other
    const auto both = fuse([](auto x, auto i) {
      const auto y = take(x, i, axis<0>);
      return where(i < 2, y, y + 1);
    });
    CHECK_THROWS_AS(elements(both(x, i)), index_error);
    // what is gathered decides itself
    const auto itself = fuse([](auto x, auto i) {
      const auto y = take(x, i, axis<0>);
      return where(y > 11.0f, y, 0.0f);
    });
    CHECK_THROWS_AS(elements(itself(x, i)), index_error);
    const auto masked =
        fuse([](auto x, auto i) { return sum(where(i >= 0 && i < 4, take(x, i, axis<0>), 0.0f)); });
    CHECK(elements(masked(x, i)) == std::vector<float>{22});
  }

  TEST_CASE("an axis without elements has none at any index") {
    const auto rows = fuse([](auto x, auto i) { return take(x, i, axis<0>); });
    const array<float, 2> nothing({0, 3});
    CHECK_THROWS_AS(rows(nothing, array<int, 1>::from({0})), shape_error);
    CHECK(rows(nothing, array<int, 1>({0})).shape() == shape<2>{0, 3});
  }

  TEST_CASE("a result that overlaps what is gathered is computed aside") {
    array<float, 1> x = array<float, 1>::from({0, 1, 2, 3});
    x() = take(x, array<int, 1>::from({3, 2, 1, 0}), axis<0>);
    CHECK(elements(x) == std::vector<float>{3, 2, 1, 0});
  }

  TEST_CASE("a table of colours, and a warp by rounded positions") {
    const array<std::uint8_t, 2> image =
        array<std::uint8_t, 2>::from(std::vector<std::uint8_t>{0, 1, 255, 254}, {2, 2});
    const auto inverted = fuse([](auto table, auto image) { return take(table, image, axis<0>); });
    std::vector<std::uint8_t> colours(256);
    for (std::size_t i = 0; i < 256; ++i) colours[i] = static_cast<std::uint8_t>(255 - i);
    CHECK(elements(inverted(array<std::uint8_t, 1>::from(colours), image)) ==
          std::vector<std::uint8_t>{255, 254, 0, 1});
    const auto turned = fuse([](auto x) {
      const auto row = coordinate<0>(x), column = coordinate<1>(x);
      return gather(x, 1 - row, column);
    });
    CHECK(elements(turned(image)) == std::vector<std::uint8_t>{255, 254, 0, 1});
  }

  TEST_CASE("of `a && b`, b is used where a holds, beside b && a under another condition") {
    const auto counted = fuse([](auto x, auto i) {
      const auto inside = i < 4;
      const auto positive = x(i) > 0.f;
      return where(inside, astype<int>(positive && inside), 0) + astype<int>(inside && positive);
    });
    const array<float, 1> x = array<float, 1>::from({1, -1, 1, 1});
    CHECK(elements(array<int, 1>(counted(x, array<int, 1>::from({0, 1, 3, 9})))) ==
          std::vector<int>{2, 0, 2, 0});
    const auto unguarded = fuse([](auto x, auto i) { return astype<int>(x(i) > 0.f && i < 4); });
    CHECK_THROWS_AS(elements(array<int, 1>(unguarded(x, array<int, 1>::from({0, 9})))), index_error);
  }
}

}  // namespace sinter::test
