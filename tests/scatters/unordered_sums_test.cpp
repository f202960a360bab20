// Sums whose order is that in which updates happen: within their bound, and only where a call asks for them.

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

/// Terms of very different size and both signs, and the element that each of them goes to.
template <class T>
struct terms {
  std::vector<T> values;
  std::vector<int> elements;
  std::vector<long double> sums, sizes;
  std::vector<int> counts;

  terms(int count, int into) : sums(static_cast<std::size_t>(into)), sizes(sums.size()), counts(sums.size()) {
    for (int i = 0; i < count; ++i) {
      const int element = i * 7919 % into;
      values.push_back(
          static_cast<T>(std::ldexp(1.0 + i % 17 * 0.0625, i * 31 % 12) * (i % 3 == 0 ? -1 : 1)));
      elements.push_back(element);
      const auto at = static_cast<std::size_t>(element);
      sums[at] += static_cast<long double>(static_cast<double>(values.back()));
      sizes[at] += std::fabs(static_cast<long double>(static_cast<double>(values.back())));
      ++counts[at];
    }
  }
};

/// `last` is the unit in the last place of 1 in the result, `computed` that of the type that is added in.
template <class T>
void check_sums(int count, int into, double last, double computed) {
  CAPTURE(count);
  CAPTURE(into);
  const terms<T> each(count, into);
  const array<T, 1> values = array<T, 1>::from(each.values);
  const array<int, 1> elements = array<int, 1>::from(each.elements);
  const array<T, 1> sums = scatter_add(zeros<T>(into), elements, values, unordered);
  const std::vector<T> got = sums.to_vector();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double off = std::fabs(static_cast<long double>(static_cast<double>(got[i])) - each.sums[i]);
    CHECK(off <= each.counts[i] * computed * each.sizes[i] + last * std::fabs(each.sums[i]));
  }
}

}  // namespace

TEST_SUITE("unordered sums") {
  TEST_CASE("a sum is off by no more than rounding each of its parts, also where processors share elements") {
    for (const int count : {1, 7, 1000, 200000})
      for (const int into : {1, 3, 1000, 50000}) {
        check_sums<float>(count, into, 0x1p-24, 0x1p-24);
        check_sums<double>(count, into, 0x1p-53, 0x1p-53);
      }
  }

  TEST_CASE("short floats are added in float32 and rounded once") {
    check_sums<float16>(500, 100, 0x1p-10, 0x1p-24);
    check_sums<bfloat16>(500, 100, 0x1p-7, 0x1p-24);
    const std::vector<float16> ones(3000, float16(1.0f));
    const array<float16, 1> sum =
        scatter_add(zeros<float16>(1), zeros<int>(3000), array<float16, 1>::from(ones), unordered);
    CHECK(static_cast<float>(sum.to_vector()[0]) == 3000);
  }

  TEST_CASE("of integers and booleans nothing changes, and complex numbers are added by parts") {
    const array<int, 1> i = array<int, 1>::from({0, 1, 0});
    CHECK(array<int, 1>(scatter_add(zeros<int>(2), i, 5, unordered)).to_vector() == std::vector<int>{10, 5});
    CHECK(array<bool, 1>(scatter_add(zeros<bool>(2), i, true, unordered)).to_vector() ==
          std::vector<bool>{true, true});
    const array<std::complex<float>, 1> z =
        scatter_add(zeros<std::complex<float>>(2), i, std::complex<float>(1, -2), unordered);
    CHECK(z.to_vector()[0] == std::complex<float>(2, -4));
  }

  TEST_CASE("rows, segments, counts and histograms take the tag") {
    const array<int, 1> i = array<int, 1>::from({1, 0, 1});
    const array<float, 2> rows = array<float, 2>::from({1, 2, 3, 4, 5, 6}, {3, 2});
    const array<float, 2> none = zeros<float>({2, 2});
    CHECK(array<float, 2>(scatter_add(none, i, rows, axis<0>, unordered)).to_vector() ==
          std::vector<float>{3, 4, 6, 8});
    CHECK(array<float, 2>(segment_sum(rows, i, 2, unordered)).to_vector() == std::vector<float>{3, 4, 6, 8});
    CHECK(
        array<float, 2>(segment_sum(rows, array<int, 1>::from({0, 0}), 1, axis<1>, unordered)).to_vector() ==
        std::vector<float>{3, 7, 11});
    const array<float, 1> w = array<float, 1>::from({0.5f, 1.5f, 2.5f});
    CHECK(array<float, 1>(bincount(i, 2, weights(w, unordered))).to_vector() == std::vector<float>{1.5f, 3});
    CHECK(array<float, 1>(histogram(w, 3, 0, 3, weights(w, unordered))).to_vector() ==
          std::vector<float>{0.5f, 1.5f, 2.5f});
    CHECK(array<float, 2>(histogram2d(w, w, 1, 1, 0, 3, 0, 3, weights(w, unordered))).to_vector() ==
          std::vector<float>{4.5f});
    const auto fused = fuse([](auto x, auto i, auto w) { return scatter_add(x, i, 2 * w, unordered) + 1; });
    CHECK(fused(zeros<float>(2), i, w).to_vector() == std::vector<float>{4, 7});
  }

  TEST_CASE("infinities, NaN, and elements without updates are as in any sum") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const array<float, 1> x = array<float, 1>::from({1, -0.f, 2, 3});
    const array<float, 1> updates = array<float, 1>::from({infinity, -infinity, infinity});
    const auto sums =
        array<float, 1>(scatter_add(x, array<int, 1>::from({0, 2, 2}), updates, unordered)).to_vector();
    CHECK(sums[0] == infinity);
    CHECK(std::signbit(sums[1]));
    CHECK(std::isnan(sums[2]));
    CHECK(sums[3] == 3);
    const array<int, 1> beyond = array<int, 1>::from({4});
    CHECK_THROWS_AS(((void)evaluate(scatter_add(x, beyond, 1, unordered)), synchronize()), index_error);
  }

  TEST_CASE("no mode chooses the order: without the tag sums are those of fixed point") {
    std::vector<float> many(1 << 16, 0.1f);
    const array<float, 1> values = array<float, 1>::from(many);
    const auto ordered = fuse([](auto x, auto i, auto v) { return scatter_add(x, i, v); });
    const float exact = static_cast<float>(65536 * static_cast<double>(0.1f));
    const array<float, 1> none = zeros<float>(1);
    const array<int, 1> first = zeros<int>(1 << 16);
    CHECK(ordered(none, first, values).to_vector()[0] == exact);
    CHECK(ordered.fast()(none, first, values).to_vector()[0] == exact);
  }

  TEST_CASE("an unordered sum takes one pass over its updates, another two or three") {
    const auto kernels = [](scatter_combine combine) {
      graph_builder builder;
      const graph_value base = builder.input(element_type::float32, 1),
                        index = builder.input(element_type::int32, 1),
                        updates = builder.input(element_type::float32, 1);
      builder.output(scatter(builder, base, index, updates, {0, combine}));
      std::size_t count = 0;
      for (const node& each : builder.recorded().nodes) count += each.op == operation::scatter ? 1 : 0;
      return count;
    };
    CHECK(kernels(scatter_combine::add_unordered) == 1);
    CHECK(kernels(scatter_combine::add) == 2);
  }
}

}  // namespace sinter::test
