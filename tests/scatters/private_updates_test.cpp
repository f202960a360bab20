// Updates of a copy that each task has of a small array: when a schedule says so, and what comes of it.

#include <doctest/doctest.h>

#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/complex.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

constexpr std::int64_t many = 1 << 20;

/// Indices below `count`, of which the first ones are the most frequent.
std::vector<int> indices(std::int64_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<int> made(many);
  for (int& index : made) {
    const auto first = static_cast<std::uint32_t>(random()), second = static_cast<std::uint32_t>(random());
    index = static_cast<int>(std::min(first, second) % static_cast<std::uint32_t>(count));
  }
  return made;
}
template <class T>
std::vector<T> numbers() {
  std::mt19937_64 random(9);
  std::vector<T> made(many);
  for (T& number : made) number = static_cast<T>(random());
  return made;
}

template <class Function, class... Arguments>
bool has_copies(const Function& function, const Arguments&... arguments) {
  return function.explain(arguments...).find("private_updates=") != std::string::npos;
}

/// Sums, minima and maxima beside loops, with and without whole vectors at the end.
template <class T>
void check_type(std::int64_t count) {
  const auto add = fuse([](auto x, auto i, auto u) { return scatter_add(x, i, u); });
  const auto least = fuse([](auto x, auto i, auto u) { return scatter_min(x, i, u); });
  const auto greatest = fuse([](auto x, auto i, auto u) { return scatter_max(x, i, u); });
  const std::vector<int> all = indices(count);
  const std::vector<T> updates = numbers<T>();
  for (const std::int64_t length : {many, many - 1, many - 77}) {
    CAPTURE(length);
    const std::vector<int> at(all.begin(), all.begin() + length);
    const std::vector<T> from(updates.begin(), updates.begin() + length);
    std::vector<T> sums(static_cast<std::size_t>(count), T(5)), minima = sums, maxima = sums;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto place = static_cast<std::size_t>(at[i]);
      sums[place] =
          static_cast<T>(static_cast<std::uint64_t>(sums[place]) + static_cast<std::uint64_t>(from[i]));
      minima[place] = std::min(minima[place], from[i]);
      maxima[place] = std::max(maxima[place], from[i]);
    }
    const array<T, 1> x = full<T>(count, 5);
    const array<int, 1> i = array<int, 1>::from(at);
    const array<T, 1> u = array<T, 1>::from(from);
    CHECK(has_copies(add, x, i, u));
    CHECK(add(x, i, u).to_vector() == sums);
    CHECK(least(x, i, u).to_vector() == minima);
    CHECK(greatest(x, i, u).to_vector() == maxima);
  }
}

}  // namespace

TEST_SUITE("updates of copies") {
  TEST_CASE("integers of every type and number of elements") {
    if (!device::current_default().is_cpu()) return;
    for (const std::int64_t count : {1, 3, 256, 257, 4096}) {
      CAPTURE(count);
      check_type<std::int32_t>(count);
      check_type<std::uint32_t>(count);
      check_type<std::int64_t>(count);
      check_type<std::uint64_t>(count);
    }
  }

  TEST_CASE("rows and columns of a small matrix") {
    const std::vector<int> at = indices(5);
    const array<int, 1> i = array<int, 1>::from(at);
    const array<std::int64_t, 2> columns =
        array<std::int64_t, 2>::from(std::vector<std::int64_t>(3 * many, 2), {3, many});
    const auto sums = fuse([](auto x, auto i, auto u) { return scatter_add(x, i, u, axis<1>); });
    std::vector<std::int64_t> wanted(15);
    for (const int index : at)
      for (std::size_t row = 0; row < 3; ++row) wanted[row * 5 + static_cast<std::size_t>(index)] += 2;
    CHECK(sums(zeros<std::int64_t>({3, 5}), i, columns).to_vector() == wanted);
    const array<std::int64_t, 2> rows =
        array<std::int64_t, 2>::from(std::vector<std::int64_t>(2 * many, 1), {many, 2});
    const auto by_rows = fuse([](auto x, auto i, auto u) { return scatter_add(x, i, u); });
    std::vector<std::int64_t> counts(10);
    for (const int index : at)
      for (std::size_t column = 0; column < 2; ++column)
        ++counts[static_cast<std::size_t>(index) * 2 + column];
    CHECK(by_rows(zeros<std::int64_t>({5, 2}), i, rows).to_vector() == counts);
  }

  TEST_CASE("a target whose elements lie apart is updated itself") {
    const array<int, 1> i = array<int, 1>::from(indices(8));
    array<std::int64_t, 2> target = zeros<std::int64_t>({8, 2});
    const auto counts = fuse([](auto i) { return bincount(i, 8); });
    counts.into(target(all(), 0))(i);
    const std::vector<std::int64_t> wanted = counts(i).to_vector();
    for (std::size_t k = 0; k < 8; ++k) CHECK(target.to_vector()[2 * k] == wanted[k]);
  }

  TEST_CASE("few updates, and many elements, have no copy") {
    if (!device::current_default().is_cpu()) return;
    const auto counts = fuse([](auto i, auto n) { return bincount(i, n); });
    CHECK(has_copies(counts, zeros<int>(64 * 256), 256));
    CHECK_FALSE(has_copies(counts, zeros<int>(64 * 256 - 1), 256));
    CHECK(has_copies(counts, zeros<int>(1 << 21), 1 << 15));
    CHECK_FALSE(has_copies(counts, zeros<int>(1 << 24), (1 << 15) + 1));
  }

  TEST_CASE("updates of complex numbers, which are no vectors, come one after the other") {
    using number = std::complex<double>;
    const array<number, 1> w = full<number>(64, number(1, -2));
    const auto sums = fuse([](auto x, auto w) { return histogram(x, 1, -3.0, 5.0, weights(w)); });
    CHECK(sums(zeros<int>(64), w).to_vector() == std::vector<number>{number(64, -128)});
    const array<number, 1> many_numbers = full<number>(many, number(0.5, 1));
    const auto counts = fuse([](auto i, auto w) { return bincount(i, 3, weights(w)); });
    CHECK(counts(zeros<int>(many), many_numbers).to_vector() ==
          std::vector<number>{number(double{many} / 2, double{many}), number(), number()});
  }

  TEST_CASE("a range that is prepared has the kernels with and without copies") {
    if (!device::current_default().is_cpu()) return;
    const auto counts = fuse([](auto i) { return bincount(i, 200); });
    counts.prepare(described<std::int16_t, 1>({extent_range(1, 1 << 20)}, device::cpu()));
    const std::size_t before = runtime::kernel_table_statistics().compiled;
    for (const std::int64_t length : {1, 100, 12799, 12800, 16383, 16384, 16385, 100000, 1 << 20})
      CHECK(counts(array<std::int16_t, 1>::from(std::vector<std::int16_t>(static_cast<std::size_t>(length))))
                .to_vector()[0] == length);
    CHECK(runtime::kernel_table_statistics().compiled == before);
  }

  TEST_CASE("an index out of range is an error, and no update of a copy") {
    std::vector<int> at = indices(16);
    at[many / 2] = 16;
    const auto counted = [&] {
      const array<std::int64_t, 1> counts = bincount(array<int, 1>::from(at), 16);
      return counts.to_vector();
    };
    CHECK_THROWS_AS(counted(), index_error);
    at[many / 2] = 3;
    CHECK(counted()[3] == std::ranges::count(at, 3));
  }

  TEST_CASE("a schedule says how many elements a copy has, and one without copies does not say it") {
    schedule chosen;
    CHECK(to_string(chosen).find("private_updates") == std::string::npos);
    chosen.private_updates = 512;
    CHECK(to_string(chosen).find("private_updates=512") != std::string::npos);
    CHECK(parse_schedule(to_string(chosen)) == chosen);
  }
}

}  // namespace sinter::test
