// Float32 sums are at least as accurate as NumPy's pairwise summation, variances are accurate despite a large
// mean, and half types are as accurate as their accumulator. docs/accuracy.md has the tables (sinter_accuracy
// writes them).

#include <doctest/doctest.h>

#include "../support/accuracy.hpp"
#include "../support/sweep/sweep.hpp"

#include <cmath>

namespace sinter::test {
namespace {

// Both trees lose about half of the last place. The position of partial sums in their binades changes that by
// some 40%; chains without a tree are worse by factors of 3 to 1,000.
constexpr double same_order = 1.5;

}  // namespace

TEST_CASE("float32 sums are not worse than pairwise summation") {
  for (const device on : sweep_devices())
    for (const kind_of_data& kind : kinds_of_data)
      for (const std::size_t count : {1u << 10, 1u << 13, 1u << 16, 1u << 18, 1u << 20}) {
        const std::size_t trials = std::clamp<std::size_t>((1u << 21) / count, 32, 256);
        const summation_errors found = measure_sums(kind, count, trials, on);
        INFO(on.to_string(), ", ", kind.name, ", ", count, " elements, ", trials, " trials");
        CHECK(found.sinter.typical <= same_order * found.pairwise.typical);
        CHECK(found.sinter.largest <= 2 * same_order * found.pairwise.largest);
      }
}

TEST_CASE("float32 sums of rows and of columns are not worse than pairwise summation") {
  constexpr std::size_t rows = 256, length = 20000;
  for (const device on : sweep_devices())
    for (const kind_of_data& kind : kinds_of_data) {
      const std::vector<float> elements = make_data(kind, rows * length, 7);
      const auto along = fuse("accuracy_rows", [](auto x) { return sum(x, axis<1>); });
      const auto across = fuse("accuracy_columns", [](auto x) { return sum(transpose(x), axis<0>); });
      const auto x = array<float, 2>::from(elements, {rows, length}, on);
      // the same rows stored as columns
      const auto copied = fuse("accuracy_turned", [](auto y) { return transpose(y) + 0.0f; });
      const array<float, 2> turned = copied(x);
      const auto columns = fuse("accuracy_of_columns", [](auto y) { return sum(y, axis<0>); });
      const std::vector<std::vector<float>> made{along(x).to_vector(), across(x).to_vector(),
                                                 columns(turned).to_vector()};
      double ours[3] = {}, pairwise = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const auto of_row = std::span(elements).subspan(row * length, length);
        const long double exact = exact_sum(of_row);
        const auto squared = [&](float sum) { return static_cast<double>((sum - exact) * (sum - exact)); };
        pairwise += squared(pairwise_sum(of_row));
        for (std::size_t way = 0; way < 3; ++way) ours[way] += squared(made[way][row]);
      }
      INFO(on.to_string(), ", ", kind.name);
      for (const double way : ours) CHECK(std::sqrt(way) <= same_order * std::sqrt(pairwise));
    }
}

TEST_CASE("the variance of numbers around a million is right to five digits") {
  const auto spread = fuse("accuracy_variance", [](auto x) { return var(x); });
  const auto of_rows = fuse("accuracy_variances", [](auto x) { return var(x, axis<1>); });
  const auto of_columns = fuse("accuracy_column_variances", [](auto x) { return var(x, axis<0>); });
  for (const device on : sweep_devices())
    for (const std::size_t count : {100u, 4096u, 100000u, 1u << 20}) {
      const std::vector<float> elements = make_data({"", 1e6, 1}, count, count);
      const auto exact =
          static_cast<double>(exact_squares(elements, exact_sum(elements) / static_cast<long double>(count)) /
                              static_cast<long double>(count));
      INFO(on.to_string(), ", ", count, " elements");
      CHECK(spread(array<float, 1>::from(elements, {count}, on)).to_vector()[0] ==
            doctest::Approx(exact).epsilon(1e-5));
      CHECK(of_rows(array<float, 2>::from(elements, {1, count}, on)).to_vector()[0] ==
            doctest::Approx(exact).epsilon(1e-5));
      CHECK(of_columns(array<float, 2>::from(elements, {count, 1}, on)).to_vector()[0] ==
            doctest::Approx(exact).epsilon(1e-5));
    }
}

TEST_CASE_TEMPLATE("sums and means of half types are those of float32, rounded once", Half, float16,
                   bfloat16) {
  const auto total = fuse("accuracy_half_sum", [](auto x) { return sum(x); });
  const auto average = fuse("accuracy_half_mean", [](auto x) { return mean(x); });
  constexpr double rounding = std::is_same_v<Half, float16> ? 0x1p-11 : 0x1p-8;
  for (const device on : sweep_devices())
    for (const std::size_t count : {1000u, 65536u, 300000u}) {
      const std::vector<float> wide = make_data({"", 0.1, 0.1}, count, count);
      std::vector<Half> elements;
      std::vector<float> rounded;
      for (const float element : wide) {
        elements.push_back(Half(element));
        rounded.push_back(static_cast<float>(elements.back()));
      }
      const auto x = array<Half, 1>::from(elements, {count}, on);
      const auto exact = static_cast<double>(exact_sum(rounded));
      INFO(on.to_string(), ", ", count, " elements");
      CHECK(std::fabs(static_cast<float>(total(x).to_vector()[0]) - exact) <= exact * rounding * 1.001);
      CHECK(std::fabs(static_cast<float>(average(x).to_vector()[0]) * static_cast<double>(count) - exact) <=
            exact * rounding * 1.001);
    }
}

}  // namespace sinter::test
