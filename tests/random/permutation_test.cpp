// rng::permutation: of numbers and of arrays, as users write it, and what is refused.

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/scalars/random_operations.hpp>
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace sinter;

namespace {

using positions = std::vector<std::int64_t>;

std::uint64_t long_word(std::uint64_t i, std::uint64_t seed, std::uint64_t sequence) {
  return reference_random_word(2 * i, seed, sequence) |
         std::uint64_t{reference_random_word(2 * i + 1, seed, sequence)} << 32;
}

/// The positions by which the stream's words of 64 bits are in order.
positions wanted_order(std::int64_t count, std::uint64_t seed, std::uint64_t sequence = 0) {
  positions all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sort(all, {}, [&](std::int64_t i) {
    return std::pair(long_word(static_cast<std::uint64_t>(i), seed, sequence), i);
  });
  return all;
}
positions order_of(std::int64_t count, std::int64_t seed, std::int64_t sequence = 0) {
  return array<std::int64_t, 1>(rng::permutation(count, seed, sequence)).to_vector();
}

/// Element (i, j) is 100 i + j.
array<int, 2> numbered(std::int64_t rows, std::int64_t columns) {
  std::vector<int> all;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) all.push_back(100 * i + j);
  return array<int, 2>::from(all, {rows, columns});
}

template <class Error>
std::string refusal(const auto& call) {
  try {
    call();
  } catch (const Error& refused) {
    return refused.what();
  }
  return "nothing was refused";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("permutations") {
  TEST_CASE("each number is there once, in the order of 64 random bits") {
    for (const std::int64_t count : {0, 1, 2, 3, 17, 1000, 40'000}) {
      CAPTURE(count);
      const positions got = order_of(count, 42, 3);
      CHECK(got == wanted_order(count, 42, 3));
      positions sorted = got, each(static_cast<std::size_t>(count));
      std::ranges::sort(sorted);
      std::iota(each.begin(), each.end(), 0);
      CHECK(sorted == each);
    }
  }

  TEST_CASE("other seeds and other sequences give other orders") {
    const positions one = order_of(100, 1);
    CHECK(order_of(100, 1) == one);
    CHECK(order_of(100, 2) != one);
    CHECK(order_of(100, 1, 1) != one);
  }

  TEST_CASE("every number is as likely at every position") {
    constexpr std::int64_t count = 6, draws = 6000;
    const auto drawn = fuse([](auto seed) { return rng::permutation(6, seed); });
    std::vector<int> seen(count * count);
    for (std::int64_t seed = 0; seed < draws; ++seed) {
      const positions order = drawn(seed).to_vector();
      for (std::size_t at = 0; at < count; ++at) ++seen[at * count + static_cast<std::size_t>(order[at])];
    }
    constexpr double each = static_cast<double>(draws) / count;
    double chi_square = 0;
    for (const int times : seen) chi_square += (times - each) * (times - each) / each;
    CHECK(chi_square < 52);  // 25 degrees of freedom: 52 has a probability of 0.001
    CHECK(chi_square > 8);   // 0.9995
  }

  TEST_CASE("rows move whole, along the first axis or a named one") {
    const array<int, 2> x = numbered(7, 5);
    const std::vector<int> rows = array<int, 2>(rng::permutation(x, 9)).to_vector(),
                           columns = array<int, 2>(rng::permutation(x, 9, axis<1>)).to_vector(),
                           last = array<int, 2>(rng::permutation(x, 9, 4, axis<-1>)).to_vector();
    const positions of_rows = wanted_order(7, 9), of_columns = wanted_order(5, 9),
                    of_last = wanted_order(5, 9, 4);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        CHECK(rows[i * 5 + j] == 100 * of_rows[i] + static_cast<int>(j));
        CHECK(columns[i * 5 + j] == 100 * static_cast<int>(i) + of_columns[j]);
        CHECK(last[i * 5 + j] == 100 * static_cast<int>(i) + of_last[j]);
      }
  }

  TEST_CASE("expressions, temporary arrays, and arrays of no and of one row") {
    const array<int, 2> x = numbered(4, 3);
    const std::vector<int> wanted = array<int, 2>(rng::permutation(x, 5)).to_vector();
    CHECK(array<int, 2>(rng::permutation(x + 1, 5) - 1).to_vector() == wanted);
    CHECK(array<int, 2>(rng::permutation(x.copy(), 5)).to_vector() == wanted);
    CHECK(array<int, 2>(rng::permutation(numbered(1, 3), 5)).to_vector() == std::vector<int>{0, 1, 2});
    CHECK(array<int, 2>(rng::permutation(numbered(0, 3), 5)).shape() == shape<2>(0, 3));
  }

  TEST_CASE("the first positions take rows, none of them twice") {
    const auto some = fuse([](auto y) { return y(rng::permutation(extent<0>(y), 42)(slice(0, 3)), all()); })(
        numbered(8, 2));
    const positions order = wanted_order(8, 42);
    for (std::size_t i = 0; i < 3; ++i) CHECK(some.to_vector()[2 * i] == 100 * order[i]);
  }

  TEST_CASE("in a function, with sizes and seeds that are arguments or arrays of rank 0") {
    const array<float, 1> x = zeros<float>({50});
    CHECK(fuse([](auto y) { return rng::permutation(extent<0>(y), -1, 9); })(x).to_vector() ==
          wanted_order(50, ~std::uint64_t{0}, 9));
    CHECK(fuse([](auto y, auto seed) { return rng::permutation(y + iota(extent<0>(y)), seed); })(x, 8)
              .to_vector() == [] {
      std::vector<double> all;
      for (const std::int64_t at : wanted_order(50, 8)) all.push_back(static_cast<double>(at));
      return all;
    }());
    const auto seed = array<std::uint64_t, 0>::from({~std::uint64_t{0}}, {});
    CHECK(array<std::int64_t, 1>(rng::permutation(50, seed, 9)).to_vector() ==
          wanted_order(50, ~std::uint64_t{0}, 9));
    CHECK(array<std::int64_t, 1>(rng::permutation(50, ~std::uint64_t{0}, 9)).to_vector() ==
          wanted_order(50, ~std::uint64_t{0}, 9));
  }

  TEST_CASE("what has no order is refused, by the name of the function") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 1), one = builder.literal(1);
    CHECK(has(refusal<type_error>([&] { rng::permutation(builder, builder.literal(1.5), {one, one}); }),
              "the number of elements is an integer"));
    CHECK(has(refusal<type_error>([&] { rng::permutation(builder, x, {one, one}); }),
              "the number of elements is an integer"));
    CHECK(has(refusal<type_error>([&] { rng::permutation(builder, one, {x, one}); }),
              "the seed is an integer"));
    CHECK(has(refusal<shape_error>(
                  [&] { rng::permutation(builder, one, {one, builder.input(element_type::int64, 1)}); }),
              "the sequence has rank 0, and here 1"));
    CHECK(has(refusal<shape_error>([&] { rng::shuffled(builder, x, 1, {one, one}); }),
              "there is no axis 1 of 1"));
    CHECK(has(refusal<shape_error>([] { order_of(-1, 42); }), "would have -1"));
  }
}
