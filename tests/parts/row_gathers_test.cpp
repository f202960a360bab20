// Rows that are read at indices on the CPU: what is computed once for a row.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <string>
#include <vector>

namespace sinter::test {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Element (i, j) is 1000 i + j.
array<float, 2> numbered(int rows, int columns) {
  std::vector<float> elements;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) elements.push_back(static_cast<float>(1000 * i + j));
  return array<float, 2>::from(elements, {rows, columns}, device::cpu());
}
array<int, 1> counted(int count, int modulus, int first) {
  std::vector<int> elements;
  for (int i = 0; i < count; ++i) elements.push_back((i * 7) % modulus + first);
  return array<int, 1>::from(elements, {count}, device::cpu());
}
/// The rows of `numbered` at positions, twice.
std::vector<float> doubled_rows(const std::vector<int>& positions, int columns) {
  std::vector<float> made;
  for (const int i : positions)
    for (int j = 0; j < columns; ++j) made.push_back(2 * static_cast<float>(1000 * i + j));
  return made;
}

}  // namespace

TEST_SUITE("rows at indices") {
  TEST_CASE("an index is checked once for the elements of a row, in front of the loop over its vectors") {
    const auto doubled = fuse([](auto table, auto i) { return take(table, i, axis<0>) * 2.f; });
    const array<float, 2> table = numbered(20, 128);
    const array<int, 1> i = counted(200, 20, 0);
    const std::string text = doubled.source(table, i);
    CHECK(contains(text, "report_index("));
    CHECK_FALSE(contains(text, "__builtin_reduce_or(out)"));
    CHECK(array<float, 2>(doubled(table, i)).to_vector() == doubled_rows(i.to_vector(), 128));
    CHECK_THROWS_AS(static_cast<void>(array<float, 2>(doubled(table, counted(200, 20, 1)))), index_error);
  }

  TEST_CASE("short rows are copied whole, whatever lies between their elements") {
    const auto doubled = fuse([](auto table, auto i) { return take(table, i, axis<0>) * 2.f; });
    const array<int, 1> i = counted(200, 20, 0);
    for (const int columns : {1, 2, 7, 8, 9, 15, 17, 31, 33, 63}) {
      CAPTURE(columns);
      const array<float, 2> table = numbered(20, columns);
      if (columns > 1) CHECK(contains(doubled.source(table, i), "pack_row(in"));
      CHECK(array<float, 2>(doubled(table, i)).to_vector() == doubled_rows(i.to_vector(), columns));
      const array<float, 2> wide = numbered(20, 3 * columns);
      const auto holds_of = [&](auto part) {
        const auto parts_of = fuse([=](auto table, auto i) { return take(part(table), i, axis<0>) * 2.f; });
        const array<float, 2> kept = fuse([=](auto table) { return part(table); })(wide);
        return array<float, 2>(parts_of(wide, i)).to_vector() ==
               array<float, 2>(doubled(kept, i)).to_vector();
      };
      CHECK(holds_of([](auto x) { return flip<1>(x); }));
      CHECK(holds_of([](auto x) { return x(all(), slice(0, end, 2)); }));
      CHECK(holds_of([](auto x) { return flip<1>(x)(all(), slice(0, end, 2)); }));
      CHECK(holds_of([](auto x) { return x(all(), slice(1, end, 3)); }));
    }
  }

  TEST_CASE("columns that are reduced check an index once for all of them") {
    const auto sums = fuse([](auto table, auto i) { return sum(take(table, i, axis<0>), axis<1>); });
    const array<float, 2> table = numbered(20, 100);
    const auto bags = [](int first) {
      return array<int, 2>::from(counted(400, 20, first).to_vector(), {10, 40}, device::cpu());
    };
    const std::string text = sums.source(table, bags(0));
    CHECK(contains(text, "report_index("));
    CHECK_FALSE(contains(text, "__builtin_reduce_or(out)"));
    CHECK(array<float, 2>(sums(table, bags(0))).to_vector()[103] == 2 * (1000.f * 190 + 20 * 3));
    CHECK_THROWS_AS(static_cast<void>(array<float, 2>(sums(table, bags(1)))), index_error);
  }

  TEST_CASE("a row at an index meets the sums of columns behind their loop") {
    const auto added =
        fuse([](auto x, auto table, auto i) { return sum(x, axis<0>) + take(table, i, axis<0>)(0, all()); });
    const array<float, 2> x = numbered(40, 300);
    const std::vector<float> made =
        array<float, 1>(added(x, numbered(5, 300), array<int, 1>::from({3}, {1}, device::cpu()))).to_vector();
    CHECK(made[7] == 1000.f * 780 + 40 * 7 + 3007);
  }

  TEST_CASE("an index that differs along a row is checked for each element") {
    const auto along = fuse([](auto x, auto i) { return x(i) * 2.f; });
    CHECK(contains(along.source(zeros<float>({100}, device::cpu()), counted(200, 100, 0)),
                   "__builtin_reduce_or(out)"));
  }

  TEST_CASE(
      "an index that is computed for whole rows is stored first, and short rows and few elements are not") {
    const char* const reason = "since it is an index of whole rows";
    const auto clipped =
        fuse([](auto table, auto i) { return take(table, i, axis<0>, boundary::clip) * 2.f; });
    const auto wrapped =
        fuse([](auto table, auto i) { return take(table, i * 3 - 5, axis<0>, boundary::wrap) * 2.f; });
    const array<float, 2> table = numbered(20, 128);
    const array<int, 1> i = counted(200, 40, -10);
    CHECK(contains(clipped.explain(table, i), reason));
    CHECK(contains(wrapped.explain(table, i), reason));
    CHECK_FALSE(contains(clipped.explain(numbered(20, 4), i), reason));
    CHECK_FALSE(contains(clipped.explain(table, counted(3, 20, 0)), reason));
    std::vector<int> nearest, modulo;
    for (const int each : i.to_vector()) {
      nearest.push_back(each < 0 ? 0 : each > 19 ? 19 : each);
      modulo.push_back(((each * 3 - 5) % 20 + 20) % 20);
    }
    CHECK(array<float, 2>(clipped(table, i)).to_vector() == doubled_rows(nearest, 128));
    CHECK(array<float, 2>(wrapped(table, i)).to_vector() == doubled_rows(modulo, 128));
  }

  TEST_CASE("an index that is read at an index is checked where rows are used, however long they are") {
    const auto chosen = fuse([](auto table, auto a, auto j) {
      return where((j < 50)(all(), newaxis), take(table, take(a, j, axis<0>) + 1, axis<0>), 0.f);
    });
    std::vector<int> j(200, 3);
    j[5] = 999;
    for (const int columns : {4, 128}) {
      const array<float, 2> made =
          chosen(numbered(20, columns), counted(50, 19, 0), array<int, 1>::from(j, {200}, device::cpu()));
      CHECK(made.to_vector()[static_cast<std::size_t>(columns) * 5] == 0);
    }
  }

  TEST_CASE("an index of many operations is looked at once") {
    const auto mixed = fuse([](auto table, auto i) {
      auto h = i;
      for (int round = 0; round < 40; ++round) h = h ^ right_shift(h, 1);
      return take(table, remainder(h, 20), axis<0>) * 2.f;
    });
    CHECK(array<float, 2>(mixed(numbered(20, 128), counted(20, 20, 0))).size() == 20 * 128);
  }

  TEST_CASE("an index that is computed and out of range is an error after it is stored, too") {
    const auto moved = fuse([](auto table, auto i) { return take(table, i + 1, axis<0>) * 2.f; });
    const array<float, 2> table = numbered(20, 128);
    CHECK(array<float, 2>(moved(table, counted(200, 19, 0))).to_vector().front() == 2000);
    CHECK_THROWS_AS(static_cast<void>(array<float, 2>(moved(table, counted(200, 20, 0)))), index_error);
  }
}

}  // namespace sinter::test
