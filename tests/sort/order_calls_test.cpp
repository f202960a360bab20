// Calls that sort, as users write them: values, expressions and functions, and what is refused.

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace sinter::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using floats = std::vector<float>;
using positions = std::vector<std::int64_t>;

array<float, 1> row(const floats& elements) { return array<float, 1>::from(elements); }
array<float, 2> matrix() { return array<float, 2>::from({3, 1, 2, 1, 5, 0}, {2, 3}); }

template <class T, unsigned Rank = 1, class Expression>
std::vector<T> of(const Expression& expression) {
  return array<T, Rank>(expression).to_vector();
}
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("calls that sort") {
  TEST_CASE("elements are in order along the last axis, or a named one") {
    CHECK(of<float>(sort(row({3, 1, 2}))) == floats{1, 2, 3});
    CHECK(of<std::int64_t>(argsort(row({3, 1, 2}))) == positions{1, 2, 0});
    CHECK(of<float, 2>(sort(matrix())) == floats{1, 2, 3, 0, 1, 5});
    CHECK(of<float, 2>(sort(matrix(), axis<0>)) == floats{1, 1, 0, 3, 5, 2});
    CHECK(of<std::int64_t, 2>(argsort(matrix(), axis<0>)) == positions{1, 0, 1, 0, 1, 0});
    CHECK(of<float>(partition(row({3, 1, 2}), 1)) == floats{1, 2, 3});
  }

  TEST_CASE("equal elements keep their order, zeros are equal, and NaN of either sign is last") {
    const floats given{nan, 0.f, -0.f, infinity, -nan, -infinity, -0.f, 1};
    CHECK(of<std::int64_t>(argsort(row(given))) == positions{5, 1, 2, 6, 7, 3, 0, 4});
    const floats sorted = of<float>(sort(row(given)));
    CHECK_FALSE(std::signbit(sorted[1]));
    CHECK(std::signbit(sorted[2]));
    CHECK(std::isnan(sorted[7]));
  }

  TEST_CASE("values follow their keys") {
    const array<int, 1> values = array<int, 1>::from({10, 20, 30, 40});
    const array<float, 1> given = row({2, 1, 2, 0}), two = row({2, 1}), others = row({5, 6});
    const auto [keys, moved] = sort(given, values);
    CHECK(of<float>(keys) == floats{0, 1, 2, 2});
    CHECK(of<int>(moved) == std::vector<int>{40, 20, 10, 30});
    const auto [same, also] = sort(two, others);
    CHECK(of<float>(same) == floats{1, 2});
    CHECK(of<float>(also) == floats{6, 5});
  }

  TEST_CASE("several results share a temporary array and an expression of one") {
    const auto keys = [] { return row({2, 1, 0}); };
    const auto values = [] { return array<int, 1>::from({10, 20, 30}); };
    const auto [sorted, moved] = sort(keys(), values());
    CHECK(of<float>(sorted) == floats{0, 1, 2});
    CHECK(of<int>(moved) == std::vector<int>{30, 20, 10});
    const auto [negative, also] = sort(-keys(), values() + 1);
    CHECK(of<float>(negative) == floats{-2, -1, 0});
    CHECK(of<int>(also) == std::vector<int>{11, 21, 31});
    const auto [largest, where] = top_k<2>(keys());
    CHECK(of<float>(largest) == floats{2, 1});
    CHECK(of<std::int64_t>(where) == positions{0, 1});
  }

  TEST_CASE("the largest elements come first, NaN before all, and of equal ones the first") {
    const array<float, 1> x = row({1, 7, nan, 7, 2});
    const array<float, 2> m = matrix();
    const auto [largest, where] = top_k<3>(x);
    const floats got = of<float>(largest);
    CHECK(std::isnan(got[0]));
    CHECK(got[1] == 7);
    CHECK(got[2] == 7);
    CHECK(of<std::int64_t>(where) == positions{2, 1, 3});
    CHECK(of<float, 2>(std::get<0>(top_k<1>(m, axis<0>))) == floats{3, 5, 2});
  }

  TEST_CASE("medians and quantiles lie at or between elements, and are NaN beside NaN") {
    CHECK(of<float>(median(matrix())) == floats{2, 1});
    CHECK(of<float>(median(matrix(), axis<0>)) == floats{2, 3, 1});
    CHECK(of<float, 0>(quantile(row({4, 1, 3, 2}), 0.5f)) == floats{2.5});
    CHECK(of<float>(quantile(row({4, 1, 3, 2}), row({0, 0.25f, 1}))) == floats{1, 1.75, 4});
    CHECK(of<float, 2>(quantile(matrix(), row({0, 1}))) == floats{1, 0, 3, 5});
    CHECK(of<double, 0>(median(array<int, 1>::from({1, 2}))) == std::vector<double>{1.5});
    CHECK(std::isnan(of<float, 0>(median(row({1, nan, 2})))[0]));
    for (const float outside : {-0.1f, 1.1f, nan})
      CHECK(std::isnan(of<float, 0>(quantile(row({1, 2}), outside))[0]));
  }

  TEST_CASE("places of quantiles have more digits than a short type") {
    std::vector<float16> elements;
    for (int i = 0; i < 70'000; ++i) elements.push_back(float16(static_cast<float>(i / 1000)));
    const array<float16, 1> x = array<float16, 1>::from(elements);
    CHECK(static_cast<float>(of<float16, 0>(quantile(x, 0.0))[0]) == 0);
    CHECK(static_cast<float>(of<float16, 0>(quantile(x, 0.5))[0]) == 34.5f);
    CHECK(static_cast<float>(of<float16, 0>(quantile(x, 1.0))[0]) == 69);
  }

  TEST_CASE("each element once, in order") {
    CHECK(unique(row({2, 1, 2, -0.f, 0})).to_vector() == floats{0, 1, 2});
    CHECK(unique(row({nan, 1, -nan})).to_vector().size() == 2);
  }

  TEST_CASE("a sort is fused with what is before and after it") {
    const auto spread = fuse("spread_of_sorted", [](auto x) {
      const auto in_order = sort(x * 2.f + 1.f);
      return sum(in_order * iota(extent<0>(x)));
    });
    CHECK(spread(row({3, 1, 2})).to_vector() == std::vector<double>{5 + 2 * 7});
  }

  TEST_CASE("empty rows stay empty, and have no middle") {
    CHECK(of<float>(sort(row({}))).empty());
    CHECK(of<std::int64_t>(argsort(row({}))).empty());
    CHECK_THROWS_AS((void)evaluate(median(row({}))), shape_error);
    CHECK_THROWS_AS((void)evaluate(quantile(row({}), 0.5f)), shape_error);
    const array<float, 1> two = row({1, 2});
    CHECK_THROWS_AS((void)evaluate(std::get<0>(top_k<3>(two))), shape_error);
  }

  TEST_CASE("builders name the function that is refused, and what would fit") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 1),
                      z = builder.input(element_type::complex64, 1);
    CHECK(has(refusal([&] { median(builder, z, 0); }), "complex numbers have no order: take real(x)"));
    CHECK(has(refusal([&] { top_elements(builder, z, 0, 1); }), "complex numbers have no order"));
    CHECK(has(refusal([&] { argsort(builder, x, 1); }), "there is no axis 1 of 1"));
    CHECK(has(refusal([&] { top_positions(builder, x, 0, 33); }), "33 elements are not from 1 to 32"));
    CHECK(has(refusal([&] { top_positions(builder, x, 0, 0); }), "0 elements are not from 1 to 32"));
    CHECK(has(refusal([&] { quantile(builder, x, z, 0); }), "a fraction is no complex number"));
    CHECK(
        has(refusal([&] { first_of_equal(builder, builder.input(element_type::int32, 2)); }), "flatten it"));
    CHECK(has(refusal([&] { builder.argsort(x, 32); }), "its keys are neither uint32 nor uint64"));
    const graph_value keys = builder.input(element_type::uint32, 1);
    CHECK(has(refusal([&] { builder.argsort(keys, 33); }), "its keys have other bits"));
    CHECK(has(refusal([&] { builder.argsort(builder.input(element_type::uint32, 0), 32); }), "no axis"));
  }

  TEST_CASE("explain says which stage sorts, and that its keys are made before") {
    if (!device::current_default().is_cpu()) return;
    const auto sorted = fuse("explained_sort", [](auto x) { return sort(x + 1.f); });
    const std::string text = sorted.explain(zeros<float>({4, 1000}));
    CAPTURE(text);
    CHECK(has(text, "stage 1 of 3: made ahead, since the next stage sorts rows by it\n"));
    CHECK(has(text, "sorts 4 rows of 1000 keys of 32 bits\n"));
    CHECK(has(text, "stage 3 of 3: results\n"));
  }
}

}  // namespace sinter::test
