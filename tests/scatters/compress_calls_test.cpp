// Elements that a mask chooses, and positions of elements that are not zero.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <cstdint>
#include <vector>

namespace sinter::test {
namespace {

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<float>(i * 37 % 101) - 50);
  return made;
}

}  // namespace

TEST_SUITE("compress and nonzero") {
  TEST_CASE("chosen elements come one after the other, then zeros, beside their number") {
    const auto positive = fuse([](auto x) { return compress(x, x > 0.f); });
    for (const std::int64_t count : {0, 1, 5, 100, 5000}) {
      CAPTURE(count);
      const std::vector<float> all = numbers(count);
      std::vector<float> wanted;
      for (const float x : all)
        if (x > 0) wanted.push_back(x);
      const auto chosen = static_cast<std::int64_t>(wanted.size());
      wanted.resize(all.size());
      const auto check = [&](const auto& function) {
        const auto [elements, number] = function(array<float, 1>::from(all));
        CHECK(elements.to_vector() == wanted);
        CHECK(number.to_vector() == std::vector<std::int64_t>{chosen});
      };
      check(positive);
      check(positive.general());
    }
  }
  TEST_CASE("of all axes, row-major, in the type of the elements") {
    const array<std::uint8_t, 2> x =
        array<std::uint8_t, 2>::from(std::vector<std::uint8_t>{7, 0, 9, 8}, {2, 2});
    const auto [elements, count] = fuse([](auto x) { return compress(x, x != 0); })(x);
    CHECK(elements.to_vector() == std::vector<std::uint8_t>{7, 9, 8, 0});
    CHECK(count.to_vector()[0] == 3);
    const auto [none, no_count] = fuse([](auto x) { return compress(x, x > 100); })(x);
    CHECK(none.to_vector() == std::vector<std::uint8_t>{0, 0, 0, 0});
    CHECK(no_count.to_vector()[0] == 0);
  }
  TEST_CASE("a mask of another shape is refused") {
    const auto chosen = fuse([](auto x, auto mask) { return std::get<0>(compress(x, mask)); });
    const array<int, 1> x = array<int, 1>::from({1, 2});
    CHECK_THROWS_AS(chosen(x, array<bool, 1>::from(std::vector<bool>{false, true, true})), shape_error);
    CHECK_THROWS_AS(chosen(x, array<bool, 1>::from(std::vector<bool>{true})), shape_error);
  }
  TEST_CASE("nonzero has the positions, with which elements are taken") {
    const array<int, 1> x = array<int, 1>::from({0, 5, 0, -1});
    const auto [positions, count] = fuse([](auto x) { return nonzero(x); })(x);
    CHECK(positions.to_vector() == std::vector<std::int64_t>{1, 3, 0, 0});
    CHECK(count.to_vector()[0] == 2);
  }
}

}  // namespace sinter::test
