// Complex numbers in order: NumPy's order of their parts, and of those that have NaN.

#include <doctest/doctest.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace sinter::test {
namespace {

using positions = std::vector<std::int64_t>;

template <class Part>
struct complex_cases {
  using number = std::complex<Part>;
  static constexpr Part nan = std::numeric_limits<Part>::quiet_NaN(),
                        infinity = std::numeric_limits<Part>::infinity();

  /// Each kind, none in its place. numpy.argsort(kind="stable") gives order().
  static std::vector<number> given() {
    return {{nan, nan},
            {2, 1},
            {nan, 1},
            {3, nan},
            {2, -1},
            {-Part{0}, 1},
            {0, -1},
            {-nan, -infinity},
            {infinity, nan},
            {-infinity, nan},
            {infinity, infinity},
            {0, 1},
            {nan, -2},
            {1, -Part{0}},
            {1, 0},
            {3, -nan},
            {-infinity, infinity}};
  }
  static positions order() { return {16, 6, 5, 11, 13, 14, 4, 1, 10, 9, 3, 15, 8, 7, 12, 2, 0}; }
  static array<number, 1> row() { return array<number, 1>::from(given()); }
};

/// Whether parts have the same bits, or are both NaN.
template <class Part>
bool is_same(Part a, Part b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace

TEST_SUITE("complex numbers in order") {
  TEST_CASE_TEMPLATE("by the real part, then by the imaginary one, and NaN behind", Part, float, double) {
    using cases = complex_cases<Part>;
    using number = std::complex<Part>;
    CHECK(array<std::int64_t, 1>(argsort(cases::row())).to_vector() == cases::order());
    const std::vector<number> given = cases::given();
    for (const std::vector<number>& sorted : {array<number, 1>(sort(cases::row())).to_vector(),
                                              array<number, 1>(partition(cases::row(), 3)).to_vector()})
      for (std::size_t i = 0; i < given.size(); ++i) {
        const number wanted = given[static_cast<std::size_t>(cases::order()[i])];
        CHECK(is_same(sorted[i].real(), wanted.real()));
        CHECK(is_same(sorted[i].imag(), wanted.imag()));
      }
  }

  TEST_CASE_TEMPLATE("each number once: zeros are equal, and so are all that have NaN", Part, float, double) {
    using cases = complex_cases<Part>;
    using number = std::complex<Part>;
    const std::vector<number> got = unique(cases::row()).to_vector();
    const std::vector<number> wanted{
        {-cases::infinity, cases::infinity}, {0, -1}, {0, 1}, {1, 0}, {2, -1}, {2, 1},
        {cases::infinity, cases::infinity}};
    REQUIRE(got.size() == wanted.size() + 1);
    CHECK(std::vector<number>(got.begin(), got.end() - 1) == wanted);
    CHECK(got.back().real() == -cases::infinity);
    CHECK(std::isnan(got.back().imag()));
  }

  TEST_CASE_TEMPLATE("along a named axis, and as keys of values", Part, float, double) {
    using number = std::complex<Part>;
    const auto x = array<number, 2>::from({{1, 2}, {0, 5}, {1, 1}, {0, -5}, {0, 9}, {0, 0}}, {3, 2});
    CHECK(array<std::int64_t, 2>(argsort(x, axis<0>)).to_vector() == positions{2, 1, 1, 2, 0, 0});
    const auto values = array<int, 2>::from({1, 2, 3, 4, 5, 6}, {3, 2});
    const auto [keys, moved] = sort(x, values);
    CHECK(array<int, 2>(moved).to_vector() == std::vector<int>{2, 1, 4, 3, 6, 5});
    CHECK(array<number, 2>(keys).to_vector()[0] == number(0, 5));
  }

  TEST_CASE("long rows, of which many have one real part") {
    std::vector<std::complex<double>> given;
    for (int i = 0; i < 70'000; ++i) given.emplace_back(i * 37 % 11, i * 7919 % 10'007);
    const auto x = array<std::complex<double>, 1>::from(given);
    const positions order = array<std::int64_t, 1>(argsort(x)).to_vector();
    const auto key = [&](std::int64_t i) {
      const auto z = given[static_cast<std::size_t>(i)];
      return std::tuple(z.real(), z.imag(), i);
    };
    CHECK(std::ranges::is_sorted(order, {}, key));
  }
}

}  // namespace sinter::test
