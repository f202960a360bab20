// Calls that write at indices, as users write them: shapes, kinds of indices, types, and what is out of
// range.

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace sinter::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
array<T, 1> vector_of(const std::vector<T>& elements) {
  return array<T, 1>::from(elements);
}
array<int, 1> ints(const std::vector<int>& elements) { return vector_of(elements); }
array<float, 2> matrix_of(const std::vector<float>& elements, std::int64_t rows) {
  return array<float, 2>::from(elements, {rows, static_cast<std::int64_t>(elements.size()) / rows});
}
template <class T, unsigned Rank>
std::vector<T> elements(const array<T, Rank>& of) {
  return of.to_vector();
}
template <class T, class Expression>
std::vector<T> vector_from(const Expression& expression) {
  return array<T, 1>(expression).to_vector();
}
template <class Expression>
std::vector<float> matrix_from(const Expression& expression) {
  return array<float, 2>(expression).to_vector();
}
bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

}  // namespace

TEST_SUITE("calls of scatters") {
  TEST_CASE("updates of one element are added, or the least, the greatest or the last of them stays") {
    const array<float, 1> x = vector_of<float>({10, 20, 30}), updates = vector_of<float>({1, 2, 3, 40, 5});
    const array<int, 1> i = ints({0, 2, 2, -2, 0});
    CHECK(vector_from<float>(scatter_add(x, i, updates)) == std::vector<float>{16, 60, 35});
    CHECK(vector_from<float>(scatter_min(x, i, updates)) == std::vector<float>{1, 20, 2});
    CHECK(vector_from<float>(scatter_max(x, i, updates)) == std::vector<float>{10, 40, 30});
    CHECK(vector_from<float>(scatter(x, i, updates)) == std::vector<float>{5, 40, 3});
    const auto fused = fuse([](auto x, auto i, auto y) { return scatter_add(x * 2, i + 0, y - 1) + 1; });
    CHECK(elements(fused(x, i, updates)) == std::vector<float>{25, 80, 64});
    CHECK(elements(fused.strict()(x, i, updates)) == elements(fused(x, i, updates)));
    CHECK(elements(fused.fast()(x, i, updates)) == elements(fused(x, i, updates)));
    CHECK(elements(fused.general()(x, i, updates)) == elements(fused(x, i, updates)));
    CHECK(elements(x) == std::vector<float>{10, 20, 30});
  }

  TEST_CASE("one number goes to every index, and one index takes every update") {
    const array<std::int64_t, 1> x = vector_of<std::int64_t>({0, 0, 0});
    CHECK(vector_from<std::int64_t>(scatter_add(x, ints({1, 1, 2}), 5)) ==
          std::vector<std::int64_t>{0, 10, 5});
    CHECK(vector_from<std::int64_t>(scatter_add(x, ints({1}), vector_of<std::int64_t>({1, 2, 3}))) ==
          std::vector<std::int64_t>{0, 6, 0});
    const auto at = fuse([](auto x, auto i, auto v) { return scatter(x, i, v); });
    CHECK(elements(at(x, -1, std::int64_t{9})) == std::vector<std::int64_t>{0, 0, 9});
  }

  TEST_CASE("indices of a vector may have any shape, with which updates are broadcast") {
    const array<int, 2> i = array<int, 2>::from(std::vector<int>{0, 1, 1, 0, 2, 1}, {2, 3});
    const array<float, 1> x = zeros<float>(3);
    CHECK(vector_from<float>(scatter_add(x, i, matrix_of({1, 2, 3, 4, 5, 6}, 2))) ==
          std::vector<float>{5, 11, 5});
    CHECK(vector_from<float>(scatter_add(x, i, vector_of<float>({1, 2, 3}))) == std::vector<float>{2, 8, 2});
    CHECK(vector_from<float>(scatter(x, i, matrix_of({1, 2, 3, 4, 5, 6}, 2))) == std::vector<float>{4, 6, 5});
  }

  TEST_CASE("indices with one axis are those of rows, or of columns") {
    const array<float, 2> x = ones<float>({2, 3});
    const array<float, 2> updates = matrix_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3);
    const array<int, 1> rows = ints({1, 0, 1});
    CHECK(matrix_from(scatter_add(x, rows, updates)) == std::vector<float>{5, 6, 7, 9, 11, 13});
    CHECK(matrix_from(scatter(x, rows, updates, axis<0>)) == std::vector<float>{4, 5, 6, 7, 8, 9});
    CHECK(matrix_from(scatter_max(x, rows, vector_of<float>({0, 5, -1}))) ==
          std::vector<float>{1, 5, 1, 1, 5, 1});
    CHECK(matrix_from(scatter_add(x, ints({2, 2}), 1, axis<1>)) == std::vector<float>{1, 1, 3, 1, 1, 3});
    CHECK(matrix_from(scatter(x, ints({2, 0}), matrix_of({5, 6, 7, 8}, 2), axis<-1>)) ==
          std::vector<float>{6, 1, 5, 8, 1, 7});
  }

  TEST_CASE("indices with as many axes as the array have a position for each update") {
    const array<float, 2> x = zeros<float>({2, 3});
    const array<int, 2> i = array<int, 2>::from(std::vector<int>{0, 0, 2, 1}, {2, 2});
    CHECK(matrix_from(scatter_add(x, i, matrix_of({1, 2, 3, 4}, 2), axis<1>)) ==
          std::vector<float>{3, 0, 0, 0, 4, 3});
    CHECK(matrix_from(scatter(x, i, matrix_of({1, 2, 3, 4}, 2), axis<1>)) ==
          std::vector<float>{2, 0, 0, 0, 4, 3});
  }

  TEST_CASE("indices of every integer type, of which unsigned ones never count from the end") {
    const array<float, 1> x = zeros<float>(3);
    const auto check = [&]<class T>(T) {
      CHECK(vector_from<float>(scatter_add(x, vector_of<T>({T(2), T(0), T(2)}), 1)) ==
            std::vector<float>{1, 0, 2});
    };
    check(std::int8_t());
    check(std::uint8_t());
    check(std::int16_t());
    check(std::uint16_t());
    check(std::uint32_t());
    check(std::int64_t());
    check(std::uint64_t());
    CHECK_THROWS_AS(vector_from<float>(scatter_add(x, vector_of<std::uint64_t>({~std::uint64_t{0}}), 1)),
                    index_error);
  }

  TEST_CASE("an index out of range throws, and the message has the function, the index and the extent") {
    const auto sums = fuse("deposit", [](auto x, auto i) { return scatter_add(x, i, 1); });
    const array<float, 1> x = zeros<float>(3);
    for (const int index : {3, -4, 1 << 30}) {
      CHECK_THROWS_WITH_AS(elements(sums(x, ints({0, index}))), doctest::Contains("deposit"), index_error);
      CHECK_THROWS_WITH_AS(elements(sums(x, ints({0, index}))),
                           doctest::Contains(("index " + std::to_string(index)).c_str()), index_error);
      CHECK_THROWS_WITH_AS(elements(sums(x, ints({0, index}))), doctest::Contains("3 elements"), index_error);
      CHECK_THROWS_AS(vector_from<float>(scatter(x, ints({index}), 1.f)), index_error);
    }
    CHECK(elements(sums(x, ints({2}))) == std::vector<float>{0, 0, 1});
  }

  TEST_CASE("indices of updates are reported by the scatter, wherever its elements are used") {
    const auto sums = fuse([](auto x, auto i, auto table, auto j, auto chosen) {
      return where(chosen, scatter_add(x, i, take(table, j, axis<0>)), 0.f);
    });
    const array<bool, 1> none = array<bool, 1>::from(std::vector<bool>{false, false, false});
    const array<bool, 1> all = array<bool, 1>::from(std::vector<bool>{true, true, true});
    const array<float, 1> table = vector_of<float>({1, 2});
    for (int run = 0; run < 3; ++run) {
      CHECK(elements(sums(zeros<float>(3), ints({0, 2}), table, ints({1, 1}), all)) ==
            std::vector<float>{2, 0, 2});
      CHECK(elements(sums(zeros<float>(3), ints({0, 2}), table, ints({1, 1}), none)) ==
            std::vector<float>{0, 0, 0});
      CHECK_THROWS_AS(elements(sums(zeros<float>(3), ints({0, 2}), table, ints({1, 2}), none)), index_error);
      CHECK_THROWS_AS(elements(sums(zeros<float>(3), ints({0, 3}), table, ints({1, 1}), none)), index_error);
    }
  }

  TEST_CASE("no updates leave the array as it is, and an array without elements has none at any index") {
    const array<float, 1> x = vector_of<float>({1, 2});
    const array<int, 1> none({0});
    CHECK(vector_from<float>(scatter_add(x, none, 1)) == std::vector<float>{1, 2});
    CHECK(vector_from<float>(scatter(x, none, array<float, 1>({0}))) == std::vector<float>{1, 2});
    CHECK(vector_from<float>(scatter(array<float, 1>({0}), none, 3)).empty());
    CHECK_THROWS_AS(vector_from<std::int64_t>(scatter_add(zeros<std::int64_t>(0), ints({0}), 1)),
                    index_error);
  }

  TEST_CASE("booleans are set, and small integers wrap as they do in sums") {
    CHECK(vector_from<bool>(scatter_add(zeros<bool>(3), ints({0, 2}), vector_of<bool>({false, true}))) ==
          std::vector<bool>{false, false, true});
    CHECK(vector_from<bool>(scatter_min(ones<bool>(2), ints({0, 1}), vector_of<bool>({false, true}))) ==
          std::vector<bool>{false, true});
    CHECK(vector_from<std::uint8_t>(scatter_add(zeros<std::uint8_t>(1), ints({0, 0}), 200)) ==
          std::vector<std::uint8_t>{144});
    CHECK(vector_from<std::int8_t>(
              scatter_max(full<std::int8_t>(2, -100), ints({0}), vector_of<std::int8_t>({-3}))) ==
          std::vector<std::int8_t>{-3, -100});
  }

  TEST_CASE("a floating sum is exact as long as its terms are close to each other") {
    const array<double, 1> terms = vector_of<double>({1e16, 1, 1, -1e16, 0.5});
    CHECK(vector_from<double>(scatter_add(zeros<double>(1), ints({0, 0, 0, 0, 0}), terms)) ==
          std::vector<double>{2.5});
    std::vector<float> many(1 << 16, 0.1f);
    const array<float, 1> sum = scatter_add(zeros<float>(1), zeros<int>(1 << 16), vector_of(many));
    CHECK(elements(sum) == std::vector<float>{static_cast<float>(65536 * static_cast<double>(0.1f))});
  }

  TEST_CASE("a term is rounded by at most the stated part of the largest one") {
    const array<float, 1> terms = vector_of<float>({1.f, 0x1p-49f, -1.f, 0x1p-53f});
    const float sum = vector_from<float>(scatter_add(zeros<float>(1), zeros<int>(4), terms))[0];
    CHECK(std::fabs(sum - (0x1p-49f + 0x1p-53f)) <= 4 * 0x1p-50f);
    CHECK(sum != 0);
    const array<double, 1> doubles = vector_of<double>({1., 0x1p-100, -1., 0x1p-110});
    CHECK(vector_from<double>(scatter_add(zeros<double>(1), zeros<int>(4), doubles)) ==
          std::vector<double>{0x1p-100 + 0x1p-110});
  }

  TEST_CASE("what is left of terms that cancel is as exact as the terms") {
    const array<double, 1> terms = vector_of<double>({1., -1., -0x1p-59, 0.});
    CHECK(vector_from<double>(scatter_add(zeros<double>(1), zeros<int>(4), terms)) ==
          std::vector<double>{-0x1p-59});
  }

  TEST_CASE("an element without updates stays what it is, a negative zero, too") {
    const array<double, 1> x = vector_of<double>({-0., 0., -0.});
    const auto sums = vector_from<double>(scatter_add(x, ints({2, 2}), vector_of<double>({1, 0.5})));
    CHECK(std::signbit(sums[0]));
    CHECK(!std::signbit(sums[1]));
    CHECK(sums[2] == 1.5);
    const auto floats = vector_from<float>(scatter_add(vector_of<float>({-0.f, 1.f}), ints({1}), -1.f));
    CHECK(std::signbit(floats[0]));
    CHECK(!std::signbit(floats[1]));
  }

  TEST_CASE("infinities and NaN give what they give in any sum, in each element by itself") {
    const array<double, 1> x = zeros<double>(6);
    const array<double, 1> sums =
        scatter_add(x, ints({0, 0, 1, 2, 2, 3, 4, 4}),
                    vector_of<double>({infinity, 1, -infinity, infinity, -infinity, nan, 1e308, 1e308}));
    const std::vector<double> wanted{infinity, -infinity, nan, nan, infinity, 0};
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(same(elements(sums)[i], wanted[i]));
    const array<float, 1> overflow =
        scatter_add(zeros<float>(1), ints({0, 0}), vector_of<float>({3e38f, 3e38f}));
    CHECK(elements(overflow)[0] == std::numeric_limits<float>::infinity());
    const array<float, 1> base =
        scatter_add(vector_of<float>({std::numeric_limits<float>::infinity()}), ints({0}), 1);
    CHECK(elements(base)[0] == std::numeric_limits<float>::infinity());
  }

  TEST_CASE("sums of numbers near the ends of the type's range") {
    constexpr double tiny = std::numeric_limits<double>::denorm_min();
    constexpr double large = std::numeric_limits<double>::max();
    const array<double, 1> sums = scatter_add(zeros<double>(3), ints({0, 0, 1, 1, 2}),
                                              vector_of<double>({tiny, tiny, large, -large, large}));
    CHECK(elements(sums) == std::vector<double>{2 * tiny, 0, large});
    constexpr float small = std::numeric_limits<float>::denorm_min();
    const array<float, 1> floats =
        scatter_add(zeros<float>(1), ints({0, 0, 0}), vector_of<float>({small, small, -small}));
    CHECK(elements(floats) == std::vector<float>{small});
  }

  TEST_CASE("minima and maxima order -0 below 0, and give NaN where there is one") {
    const array<double, 1> updates = vector_of<double>({0., -0., nan, infinity, -infinity});
    const array<int, 1> i = ints({0, 0, 1, 2, 2});
    const auto least = vector_from<double>(scatter_min(full<double>(3, infinity), i, updates));
    CHECK(std::signbit(least[0]));
    CHECK(std::isnan(least[1]));
    CHECK(least[2] == -infinity);
    const auto greatest = vector_from<double>(scatter_max(full<double>(3, -infinity), i, updates));
    CHECK(!std::signbit(greatest[0]));
    CHECK(greatest[0] == 0);
    CHECK(std::isnan(greatest[1]));
    CHECK(greatest[2] == infinity);
    CHECK(std::isnan(vector_from<float>(scatter_min(full<float>(1, nan), ints({0}), 1.f))[0]));
  }

  TEST_CASE("complex numbers are added by their parts") {
    using number = std::complex<float>;
    const array<number, 1> sums =
        scatter_add(zeros<number>(2), ints({1, 1}), vector_of<number>({number(1, 2), number(3, -5)}));
    CHECK(elements(sums)[0] == number(0, 0));
    CHECK(elements(sums)[1] == number(4, -3));
  }

  TEST_CASE("a result that overlaps its base or its updates is computed aside") {
    array<float, 1> x = vector_of<float>({1, 2, 3});
    x() = scatter_add(x, ints({0, 1, 2}), x(slice(end, end, -1)));
    CHECK(elements(x) == std::vector<float>{4, 4, 4});
    const auto add_to = fuse([](auto x, auto i) { return scatter_add(x, i, x); });
    add_to.into(x)(x, ints({1, 1, 1}));
    CHECK(elements(x) == std::vector<float>{4, 16, 4});
  }

  TEST_CASE("a result that is its base is updated where it is, without memory of its own") {
    const auto add_to = fuse([](auto x, auto i, auto u) { return scatter_add(x, i, u); });
    const auto least_of = fuse([](auto x, auto i, auto u) { return scatter_min(x, i, u); });
    array<int, 1> counts = ints({1, 2, 3, 4});
    const array<int, 1> i = ints({3, 0, 3, 2}), u = ints({10, 20, 30, 40});
    CHECK(add_to.into(counts).workspace_bytes(counts, i, u) == add_to.workspace_bytes(counts, i, u));
    add_to.into(counts)(counts, i, u);
    CHECK(elements(counts) == std::vector<int>{21, 2, 43, 44});
    least_of.into(counts)(counts, i, u);
    CHECK(elements(counts) == std::vector<int>{20, 2, 40, 10});
    // a part of a larger array, and a base that is turned
    array<int, 1> all = ints({1, 2, 3, 4, 5, 6});
    add_to.into(all(slice(1, 5)))(all(slice(1, 5)), i, u);
    CHECK(elements(all) == std::vector<int>{1, 22, 3, 44, 45, 6});
    add_to.into(all)(all(slice(end, end, -1)), i, u);
    CHECK(elements(all) == std::vector<int>{26, 45, 84, 43, 22, 1});
    array<float, 1> sums = vector_of<float>({1, 2, 3});
    add_to.into(sums)(sums, ints({2, 2, 0}), vector_of<float>({0.5f, 0.25f, -1}));
    CHECK(elements(sums) == std::vector<float>{0, 2, 3.75f});
  }

  TEST_CASE(
      "a base that is the result is not copied to where it is: memory that cannot be written stays so") {
    const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    auto* const numbers = static_cast<int*>(page);
    numbers[2] = 7;
    const view<int, 1> base(numbers, {4});
    REQUIRE(mprotect(page, bytes, PROT_READ) == 0);
    const auto add_to = fuse([](auto x, auto i, auto u) { return scatter_add(x, i, u); });
    const array<int, 1> none({0}, device::cpu());
    add_to.into(base)(base, none, none);
    CHECK(numbers[2] == 7);
    munmap(page, bytes);
  }

  TEST_CASE("views that are strided and transposed, as base, indices and updates") {
    const array<float, 2> x = matrix_of({1, 2, 3, 4, 5, 6}, 2);
    const array<int, 1> i = ints({0, 9, 1, 9, 0, 9});
    const auto sums = fuse([](auto x, auto i, auto u) { return scatter_add(transpose(x), i, u); });
    const array<float, 2> made = sums(x, i(slice(0, end, 2)), matrix_of({1, 2, 3, 4, 5, 6}, 3));
    CHECK(elements(made) == std::vector<float>{7, 12, 5, 9, 3, 6});
    array<float, 2> target = zeros<float>({2, 2});
    target(all(), 1) = scatter(zeros<float>(2), ints({1}), 8);
    CHECK(elements(target) == std::vector<float>{0, 0, 0, 8});
  }

  TEST_CASE("segments are the sums, means and extremes of rows that have one number") {
    const array<float, 2> points = matrix_of({1, 2, 3, 4, 5, 6, 7, 8}, 4);
    const array<int, 1> of = ints({2, 0, 2, 0});
    CHECK(matrix_from(segment_sum(points, of, 3)) == std::vector<float>{10, 12, 0, 0, 6, 8});
    const std::vector<float> means = matrix_from(segment_mean(points, of, 3));
    CHECK(means[0] == 5);
    CHECK(std::isnan(means[2]));
    CHECK(means[5] == 4);
    CHECK(vector_from<int>(segment_min(ints({4, 3, 9}), ints({0, 0, 1}), 3)) ==
          std::vector<int>{3, 9, std::numeric_limits<int>::max()});
    CHECK(vector_from<std::uint64_t>(segment_max(vector_of<std::uint64_t>({4, 3}), ints({1, 1}), 2)) ==
          std::vector<std::uint64_t>{0, 4});
    CHECK(vector_from<std::uint64_t>(segment_min(vector_of<std::uint64_t>({4, 3}), ints({1, 1}), 2)) ==
          std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max(), 3});
    CHECK(vector_from<double>(segment_mean(ints({1, 2}), ints({0, 0}), 1)) == std::vector<double>{1.5});
    CHECK(matrix_from(segment_max(points, ints({1, 1}), 2, axis<1>)) ==
          std::vector<float>{
              -std::numeric_limits<float>::infinity(), 2, -std::numeric_limits<float>::infinity(), 4,
              -std::numeric_limits<float>::infinity(), 6, -std::numeric_limits<float>::infinity(), 8});
    CHECK_THROWS_AS(matrix_from(segment_sum(points, ints({0, 1, -1, 0}), 3)), index_error);
    CHECK_THROWS_AS(matrix_from(segment_sum(points, ints({0}), 3)), shape_error);
  }

  TEST_CASE("a k-means update: the mean of the points that are nearest to each centre") {
    const auto update = fuse([](auto points, auto centres) {
      const auto differences = points(all(), newaxis) - centres(newaxis);
      const auto nearest = argmin(sum(differences * differences, axis<2>), axis<1>);
      return segment_mean(points, nearest, extent<0>(centres));
    });
    const array<float, 2> points = matrix_of({0, 0, 0, 2, 10, 10, 12, 10}, 4);
    CHECK(elements(update(points, matrix_of({1, 1, 9, 9}, 2))) == std::vector<float>{0, 1, 11, 10});
  }
}

}  // namespace sinter::test
