// An index counts only where its element is used, whatever is stored or combined in between.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace sinter::test {
namespace {

using floats = std::vector<float>;

template <class T, unsigned Rank>
std::vector<T> elements(const array<T, Rank>& of) {
  return of.to_vector();
}

/// Three bags of indices of `table`; the second one has an index that is out of range.
struct bags {
  array<float, 1> table = array<float, 1>::from(floats{10, 11, 12, 13});
  array<int, 2> indices = array<int, 2>::from(std::vector<int>{0, 1, 2, 3, 9, 0, -1, -4, 1}, {3, 3});
  array<float, 2> weights = array<float, 2>::from(floats{1, 1, 1, 0, 0, 0, 2, 2, 2}, {3, 3});
};

template <class Function, class... Operands>
void expect_fault(const Function& function, const Operands&... operands) {
  CHECK_THROWS_WITH_AS(elements(function(operands...)),
                       doctest::Contains("index 9 is out of range: the axis has 4 elements"), index_error);
}

}  // namespace

TEST_SUITE("used elements") {
  TEST_CASE("the sum of a row counts where it is chosen") {
    const bags of;
    const auto masked = fuse([](auto table, auto i, auto chosen) {
      return where(chosen, sum(take(table, i, axis<0>), axis<1>), -1.0f);
    });
    const array<bool, 1> first = array<bool, 1>::from({true, false, true}),
                         all_rows = array<bool, 1>::from({true, true, true});
    CHECK(elements(masked(of.table, of.indices, first)) == floats{33, -1, 34});
    expect_fault(masked, of.table, of.indices, all_rows);
  }

  TEST_CASE("so it does where another sum of the row says whether it is") {
    const bags of;
    const auto mean_of_bag = fuse([](auto table, auto i, auto w) {
      const auto weight = sum(w, axis<1>);
      return where(weight > 0.0f, sum(take(table, i, axis<0>) * w, axis<1>) / weight, 0.0f);
    });
    CHECK(elements(mean_of_bag(of.table, of.indices, of.weights)) == floats{11, 0, 34.f / 3});
    const auto otherwise = fuse([](auto table, auto i, auto w) {
      return where(sum(w, axis<1>) > 0.0f, 0.0f, max(take(table, i, axis<0>), axis<1>));
    });
    expect_fault(otherwise, of.table, of.indices, of.weights);
  }

  TEST_CASE("an element counts where a sum of its row says so") {
    const bags of;
    const auto rows = fuse([](auto table, auto i, auto w) {
      return where(sum(w, axis<1>, keepdims) > 0.0f, take(table, i, axis<0>), 0.0f);
    });
    CHECK(elements(rows(of.table, of.indices, of.weights)) == floats{10, 11, 12, 0, 0, 0, 13, 10, 11});
    const auto others = fuse([](auto table, auto i, auto w) {
      return where(sum(w, axis<1>, keepdims) > 0.0f, 0.0f, take(table, i, axis<0>));
    });
    expect_fault(others, of.table, of.indices, of.weights);
  }

  TEST_CASE("a scan counts from its first such index on") {
    const array<float, 1> table = array<float, 1>::from(floats{10, 11, 12, 13});
    const array<int, 1> i = array<int, 1>::from({0, 1, 9, 2});
    const auto upto = fuse([](auto table, auto i, auto last) {
      return where(coordinate<0>(i) <= last, cumsum(take(table, i, axis<0>)), 0.0f);
    });
    CHECK(elements(upto(table, i, 1)) == floats{10, 21, 0, 0});
    expect_fault(upto, table, i, 2);
    expect_fault(upto, table, i, 3);
    // the condition is a scan, too
    const auto until = fuse([](auto table, auto i) {
      return where(cummax(astype<int>(i > 3)) == 0, take(table, i, axis<0>), 0.0f);
    });
    CHECK(elements(until(table, i)) == floats{10, 11, 0, 0});
  }

  TEST_CASE("what is stored before it is moved counts where it is read") {
    const bags of;
    const auto totals = fuse([](auto table, auto i, auto rows) {
      return take(sum(take(table, i, axis<0>), axis<1>), rows, axis<0>);
    });
    CHECK(elements(totals(of.table, of.indices, array<int, 1>::from({2, 0, 2}))) == floats{34, 33, 34});
    expect_fault(totals, of.table, of.indices, array<int, 1>::from({0, 1}));
    const auto without_last = fuse([](auto table, auto i) {
      const auto sums = sum(take(table, i, axis<0>), axis<1>);
      return sums(slice(0, -1)) / max(sums(slice(0, -1)));
    });
    const array<int, 2> wrong_at_end = array<int, 2>::from(std::vector<int>{0, 1, 2, 3, 0, 9}, {3, 2});
    CHECK(elements(without_last(of.table, wrong_at_end)) == floats{21.f / 25, 1});
  }

  TEST_CASE("it may be stored twice on the way") {
    const bags of;
    const auto twice = fuse([](auto table, auto i, auto rows, auto chosen) {
      const auto sums = sum(take(table, i, axis<0>), axis<1>);
      const auto moved = cumsum(take(sums, rows, axis<0>));
      return where(chosen, take(moved, 2 - coordinate<0>(chosen), axis<0>), 0.0f);
    });
    const array<int, 1> rows = array<int, 1>::from({0, 2, 1});
    CHECK(elements(twice(of.table, of.indices, rows, array<bool, 1>::from({false, true, true}))) ==
          floats{0, 67, 33});
    expect_fault(twice, of.table, of.indices, rows, array<bool, 1>::from({true, true, true}));
  }

  TEST_CASE("a reduction or scan by a body has what its elements have") {
    const bags of;
    const auto greatest = fuse([](auto table, auto i, auto chosen) {
      const auto rows = take(table, i, axis<0>);
      const auto found = reduce([](auto a, auto b) { return maximum(a, b); }, -inf, rows, axis<1>);
      return where(chosen, found, -1.0f);
    });
    const array<bool, 1> first = array<bool, 1>::from({true, false, true}),
                         second = array<bool, 1>::from({false, true, false});
    CHECK(elements(greatest(of.table, of.indices, first)) == floats{12, -1, 13});
    expect_fault(greatest, of.table, of.indices, second);
  }

  TEST_CASE("what a body reads counts on the side that runs") {
    const bags of;
    const auto chosen_side = fuse([](auto table, auto i, auto w) {
      const auto rows = take(table, i, axis<0>);
      const auto weight = sum(w, axis<1>, keepdims);
      return when(weight > 0.0f, [&] { return rows * w; }, [&] { return w; });
    });
    CHECK(elements(chosen_side(of.table, of.indices, of.weights)) == floats{10, 11, 12, 0, 0, 0, 26, 20, 22});
  }

  TEST_CASE("indices under an array of which a body takes elements count, whatever uses the body") {
    const auto followed = fuse([](auto from, auto next, auto i, auto chosen) {
      const auto moved = take(next, i, axis<0>);
      return where(chosen, repeat(2, from, [&](auto at) { return moved(at); }), -1);
    });
    const array<int, 1> from = array<int, 1>::from({0}), next = array<int, 1>::from({1, 2, 3, 0});
    const array<int, 1> good = array<int, 1>::from({0, 1, 2, 3}), bad = array<int, 1>::from({0, 1, 9, 3});
    const array<bool, 1> chosen = array<bool, 1>::from({true}), none = array<bool, 1>::from({false});
    CHECK(elements(followed(from, next, good, chosen)) == std::vector<int>{2});
    expect_fault(followed, from, next, bad, chosen);
    expect_fault(followed, from, next, bad, none);
  }

  TEST_CASE("an index that is stored before rows are read at it counts for each result by itself") {
    const array<float, 2> x = ones<float>({20, 32}), y = ones<float>({3, 32}), w = zeros<float>({3, 32});
    const array<int, 1> table = array<int, 1>::from({1, 2, 3, 4});
    const array<int, 2> j = array<int, 2>::from(std::vector<int>{9, 0, 0, 1, 2, 3}, {3, 2});
    const auto both = fuse([](auto x, auto y, auto w, auto table, auto j, auto chosen) {
      const auto i = sum(take(table, j, axis<0>), axis<1>);
      const auto later = where(sum(w, axis<1>, keepdims) > 0.0f, y + astype<float>(i)(all(), newaxis), 0.0f);
      return std::tuple(where(chosen(all(), newaxis), x(i, all()), 0.0f), later);
    });
    const auto call = [&](bool first) {
      const auto [rows, later] = both(x, y, w, table, j, array<bool, 1>::from({first, true, true}));
      return elements(rows)[40] + elements(later)[40];
    };
    CHECK(call(false) == 1);
    CHECK_THROWS_AS(call(true), index_error);
  }

  TEST_CASE("positions in what is gathered use none of its elements") {
    const bags of;
    const auto positions = fuse([](auto table, auto i) {
      const auto rows = take(table, i, axis<0>);
      return where(coordinate<0>(rows) >= 0, coordinate<1>(rows), -1);  // the condition always holds
    });
    CHECK(elements(positions(of.table, of.indices)) == std::vector<std::int64_t>{0, 1, 2, 0, 1, 2, 0, 1, 2});
    const auto is_there =
        fuse([](auto table, auto i) { return coordinate<0>(take(table, i, axis<0>)) >= 0; });
    CHECK(elements(is_there(of.table, of.indices)) == std::vector<bool>(9, true));
  }

  TEST_CASE("columns beyond the last one, which reduce nothing, use no element") {
    const auto chosen =
        fuse([](auto x, auto i, auto holds) { return where(all(holds, axis<0>), take(x, i, axis<0>), 0.f); });
    for (const int columns : {1, 3, 9, 17, 70}) {
      CAPTURE(columns);
      const std::vector<int> outside(static_cast<std::size_t>(columns), 100);
      const auto i = array<int, 1>::from(outside, {columns}, device::cpu());
      const array<float, 1> made =
          chosen(ones<float>({4}, device::cpu()), i, zeros<bool>({5, columns}, device::cpu()));
      CHECK(made.to_vector() == std::vector<float>(static_cast<std::size_t>(columns), 0));
    }
  }

  TEST_CASE("indices beyond 2^42 are reported as the nearest one where a sum has them") {
    const array<float, 1> table = array<float, 1>::from(floats{10, 11});
    const auto chosen = fuse([](auto table, auto i, auto w) {
      return where(sum(w, axis<1>) > 0.0f, sum(take(table, i, axis<0>), axis<1>), 0.0f);
    });
    const array<float, 2> ones = array<float, 2>::from(floats(40, 1.0f), {1, 40});
    const auto message = [&](std::int64_t index) {
      std::vector<std::int64_t> indices(40);
      indices[7] = index;
      try {
        elements(chosen(table, array<std::int64_t, 2>::from(indices, {1, 40}), ones));
      } catch (const index_error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    CHECK(message(-3).find("index -3 is out of range: the axis has 2 elements") != std::string::npos);
    CHECK(message(std::int64_t{1} << 41).find("index 2199023255552 is") != std::string::npos);
    CHECK(message(std::numeric_limits<std::int64_t>::max()).find("index 4398046511103 is") !=
          std::string::npos);
    CHECK(message(std::numeric_limits<std::int64_t>::min()).find("index -4398046511104 is") !=
          std::string::npos);
  }
}

}  // namespace sinter::test
