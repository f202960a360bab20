// The reductions of the DSL: types, recordings, and results in the reference interpreter, compared with
// NumPy's (vectors/reductions.hpp).
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/drawn/numpy_types.hpp"
#include "../support/recorded.hpp"
#include "../support/ulp.hpp"
#include "../vectors/reductions.hpp"

using namespace sinter;
using namespace sinter::test;
using sinter::testing::type_of_code;
using sinter::testing::ulp_distance;

namespace {

// ---- types ----

// NOLINTNEXTLINE(readability-function-size): a value of each type that the checks name
[[maybe_unused]] void result_types(value<bool, 2> b, value<std::int8_t, 2> i8, value<int, 3> i32,
                                   value<std::uint16_t, 2> u16, value<float16, 2> h, value<bfloat16, 2> bf,
                                   value<float, 3> f, value<double, 1> d, value<float, 0> scalar,
                                   value<weak<float>, 0> number) {
  CHECK_VALUE(sum(f), float, 0);
  CHECK_VALUE(sum(f, axis<1>), float, 2);
  CHECK_VALUE(sum(f, axis<0, -1>), float, 1);
  CHECK_VALUE(sum(f, axis<>), float, 3);
  CHECK_VALUE(sum(f, axis<1>, keepdims), float, 3);
  CHECK_VALUE(sum(f, keepdims, axis<1>), float, 3);
  CHECK_VALUE(sum(f, keepdims), float, 3);
  CHECK_VALUE(sum(f, only_where(f > 0), axis<1>), float, 2);
  CHECK_VALUE(sum(scalar), float, 0);
  CHECK_VALUE(sum(number), float, 0);
  CHECK_VALUE(sum<double>(f, axis<1>), double, 2);
  CHECK_VALUE(sum<std::int8_t>(i8), std::int8_t, 0);
  CHECK_VALUE(sum(b), std::int64_t, 0);
  CHECK_VALUE(sum(i8), std::int64_t, 0);
  CHECK_VALUE(sum(u16), std::uint64_t, 0);
  CHECK_VALUE(sum(h), float16, 0);
  CHECK_VALUE(prod(i32), std::int64_t, 0);
  CHECK_VALUE(prod<float>(i32), float, 0);
  CHECK_VALUE(nansum(i8), std::int64_t, 0);
  CHECK_VALUE(nanprod<double>(h), double, 0);
  CHECK_VALUE(max(i8, axis<0>), std::int8_t, 1);
  CHECK_VALUE(min(b, axis<0>), bool, 1);
  CHECK_VALUE(nanmax(bf), bfloat16, 0);
  CHECK_VALUE(nanmin(d), double, 0);
  CHECK_VALUE(all(f, axis<0>), bool, 2);
  CHECK_VALUE(any(b), bool, 0);
  CHECK_VALUE(count_nonzero(h, axis<1>), std::int64_t, 1);
  CHECK_VALUE(argmax(f, axis<2>, keepdims), std::int64_t, 3);
  CHECK_VALUE(argmin(u16), std::int64_t, 0);
  CHECK_VALUE(nanargmax(h), std::int64_t, 0);
  CHECK_VALUE(nanargmin(h, axis<0>), std::int64_t, 1);
  CHECK_VALUE(mean(i8), double, 0);
  CHECK_VALUE(mean(b), double, 0);
  CHECK_VALUE(mean(h), float16, 0);
  CHECK_VALUE(mean(bf), bfloat16, 0);
  CHECK_VALUE(mean(f), float, 0);
  CHECK_VALUE(mean<double>(f), double, 0);
  CHECK_VALUE(mean<float>(i32), float, 0);
  CHECK_VALUE(var(f, axis<0>, ddof(1), only_where(f > 0), keepdims), float, 3);
  CHECK_VALUE(var(f, axis<0>, ddof(1.5)), float, 2);
  CHECK_VALUE(stddev(i32, ddof(number)), double, 0);
  CHECK_VALUE(nanmean(d), double, 0);
  CHECK_VALUE(nanvar<double>(h, axis<1>), double, 1);
  CHECK_VALUE(nanstddev(h, ddof(1)), float16, 0);
  CHECK_VALUE(logsumexp(h, axis<0>), float16, 1);
  CHECK_VALUE(softmax(f, axis<1>), float, 3);
  CHECK_VALUE(softmax<double>(f, axis<1>), double, 3);
  CHECK_VALUE(log_softmax(i32), double, 3);
  CHECK_VALUE(norm(f), float, 0);
  CHECK_VALUE(norm(i8, axis<0>), double, 1);
  CHECK_VALUE(norm<1>(h), float16, 0);
  CHECK_VALUE(norm<inf>(f, axis<0, 1>), float, 1);
  CHECK_VALUE(norm<-inf>(f, keepdims), float, 3);
  CHECK_VALUE(norm<double>(f), double, 0);
  CHECK_VALUE((norm<double, 3>(f, axis<0>)), double, 2);
}

[[maybe_unused]] void expression_types(const array<float, 2>& x, const view<const int, 1>& v,
                                       const array<bool, 1>& m, value<bool, 1> recorded) {
  static_assert(is_expression<decltype(sum(x, axis<1>)), float, 1>);
  static_assert(is_expression<decltype(mean(v)), double, 0>);
  static_assert(is_expression<decltype(argmax(x + 1, axis<0>)), std::int64_t, 1>);
  static_assert(is_expression<decltype(max(x - mean(x, axis<0>, keepdims))), float, 0>);
  static_assert(is_expression<decltype(var(x, only_where(m), ddof(1))), float, 0>);
  static_assert(is_expression<decltype(norm<1>(x, axis<0>, only_where(x > 0))), float, 1>);
  CHECK_VALUE(sum(x, axis<1>, only_where(recorded)), float, 1);
  CHECK_VALUE(var(x, ddof(extent<0>(recorded))), float, 0);
}

// ---- results ----

reference_array booleans(std::vector<std::int64_t> extents, std::vector<std::uint64_t> elements) {
  return {element_type::boolean, std::move(extents), {}, std::move(elements)};
}

constexpr struct {
  const char* name;
  detail::reduction what;
} reductions[] = {
    {"sum", detail::reduction::sum},
    {"prod", detail::reduction::prod},
    {"max", detail::reduction::max},
    {"min", detail::reduction::min},
    {"nanmax", detail::reduction::nanmax},
    {"nanmin", detail::reduction::nanmin},
    {"all", detail::reduction::all},
    {"any", detail::reduction::any},
    {"argmax", detail::reduction::argmax},
    {"argmin", detail::reduction::argmin},
    {"nansum", detail::reduction::nansum},
    {"nanprod", detail::reduction::nanprod},
    {"count_nonzero", detail::reduction::count_nonzero},
    {"nanargmax", detail::reduction::nanargmax},
    {"nanargmin", detail::reduction::nanargmin},
    {"mean", detail::reduction::mean},
    {"var", detail::reduction::var},
    {"stddev", detail::reduction::stddev},
    {"nanmean", detail::reduction::nanmean},
    {"nanvar", detail::reduction::nanvar},
    {"nanstddev", detail::reduction::nanstddev},
    {"norm", detail::reduction::norm},
    {"logsumexp", detail::reduction::logsumexp},
    {"softmax", detail::reduction::softmax},
    {"log_softmax", detail::reduction::log_softmax},
};

/// Records the reduction of a row of the vectors through the templates.
graph record_row(const numpy_vectors::reduction_result& row) {
  const element_type type = type_of_code(numpy_vectors::reduction_operands[row.operand].code);
  const auto known =
      std::ranges::find(reductions, std::string(row.name), [](const auto& entry) { return entry.name; });
  const operation_types types = detail::reduction_types(known->what, {type});
  const detail::reduction_request request{
      known->what, types.compute.type, types.result.type, true,
      row.masked,  row.ddof != 0,      row.axes,          std::bit_cast<std::uint64_t>(row.order)};
  const detail::call_site site;
  const detail::frame recording(site, true);
  std::vector<detail::typed_value> operands{{detail::declare_input(type, 3), {type}, 3}};
  if (row.masked)
    operands.push_back({detail::declare_input(element_type::boolean, 2), {element_type::boolean}, 2});
  if (row.ddof != 0)
    operands.push_back({detail::record_scalar(detail::source_of(row.ddof), types.compute.type, {}),
                        {types.compute.type},
                        0});
  const detail::recorded_value made = detail::record_reduction(request, operands.data(), {});
  detail::record_output({made, types.result, 3});
  verify(recording->steps.builder().recorded());
  return recording->steps.builder().recorded();
}

/// NumPy adds in another order, and rounds half types in between; a logarithm near 0 is a difference.
bool is_close(const std::string& name, element_type type, long double expected, long double actual) {
  const long double away = std::copysign(8, expected);
  if (name.find("log") != std::string::npos) return is_close("", type, expected + away, actual + away);
  return ulp_distance(type, expected, real_bits(type, actual)) <= (type == element_type::float16 ? 2 : 8);
}

}  // namespace

TEST_SUITE("dsl_reductions") {
  TEST_CASE("results are NumPy's") {
    const reference_array mask = array_of(element_type::boolean, {3, 4}, numpy_vectors::reduction_mask);
    for (const auto& row : numpy_vectors::reduction_results) {
      const auto& [code, values] = numpy_vectors::reduction_operands[row.operand];
      CAPTURE(std::string(row.name));
      CAPTURE(code);
      CAPTURE(row.operand);
      CAPTURE(row.axes);
      CAPTURE(row.masked);
      CAPTURE(row.ddof);
      CAPTURE(row.order);
      const graph recorded = record_row(row);
      std::vector<reference_array> inputs{array_of(type_of_code(code), {2, 3, 4}, values)};
      if (row.masked) inputs.push_back(mask);
      for (const graph& meant : {recorded, simplify(recorded)}) {
        const reference_array result = interpreted(meant, inputs);
        REQUIRE(result.type == type_of_code(row.code));
        const reference_array expected = array_of(result.type, result.extents, row.results);
        REQUIRE(result.size() == expected.size());
        for (std::size_t i = 0; i < result.size(); ++i) {
          CAPTURE(i);
          if (is_floating(result.type)) {
            CAPTURE(static_cast<double>(result.reals[i]));
            CAPTURE(static_cast<double>(expected.reals[i]));
            CHECK(is_close(row.name, result.type, expected.reals[i], result.reals[i]));
          } else {
            CHECK(result.integers[i] == expected.integers[i]);
          }
        }
      }
    }
  }

  TEST_CASE("a row is recorded as the run-time builder records it") {
    const graph written = record<floats<3>>([](auto x) {
      return std::tuple{sum(x, axis<0, -1>), max(x, keepdims, axis<1>), argmin(x), all(x, axis<2>)};
    });
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 3);
    for (const graph_value& made :
         {builder.reduce(operation::sum, x, 0b101), builder.reduce(operation::max, x, 0b010, true),
          builder.reduce(operation::argmin, x, 0b111), builder.reduce(operation::all, x, 0b100)})
      builder.output(made);
    CHECK(to_string(written) == to_string(builder.recorded()));
  }

  TEST_CASE("extents stay run-time: a mean divides by their product") {
    const graph written = record<floats<3>>([](auto x) { return mean(x, axis<0, 2>); });
    for (const std::int64_t rows : {1, 2, 5}) {
      std::vector<long double> elements(static_cast<std::size_t>(rows) * 6);
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<long double>(i % 6);
      const reference_array result = interpreted(written, {reals({rows, 2, 3}, elements)});
      CHECK(result.extents == std::vector<std::int64_t>{2});
      CHECK(result.reals == std::vector<long double>{1, 4});
    }
  }

  TEST_CASE("a result broadcasts back, and is reduced again") {
    const graph written = record<floats<2>>([](auto x) {
      auto powers = exp(x - max(x, axis<1>, keepdims));
      auto shares = powers / sum(powers, axis<1>, keepdims);
      return sum(max(shares, axis<1>));
    });
    const graph named = record<floats<2>>([](auto x) { return sum(max(softmax(x, axis<1>), axis<-1>)); });
    const reference_array x = reals({2, 3}, {1, 1, 1, 5, -200, -200});
    CHECK(static_cast<double>(interpreted(written, {x}).reals.at(0)) == doctest::Approx(4. / 3));
    CHECK(simplify(written).nodes == simplify(named).nodes);
  }

  TEST_CASE("expressions replay what lambdas record") {
    const auto x = zeros<float>({2, 3}, device::cpu());
    const auto m = zeros<bool>({3}, device::cpu());
    const auto same = [](const graph& a, const graph& b) { CHECK(to_string(a) == to_string(b)); };
    same(replayed(sum(x, axis<1>)), record<floats<2>>([](auto a) { return sum(a, axis<1>); }));
    same(replayed(mean(x, keepdims, only_where(m))),
         record<floats<2>, view<const bool, 1>>(
             [](auto a, auto b) { return mean(a, keepdims, only_where(b)); }));
    same(replayed(norm<inf>(abs(x) + x, axis<0>)),
         record<floats<2>>([](auto a) { return norm<inf>(abs(a) + a, axis<0>); }));
    same(replayed(max(x - min(x, axis<0>, keepdims))),
         record<floats<2>>([](auto a) { return max(a - min(a, axis<0>, keepdims)); }));
  }

  TEST_CASE("an expression's key tells its reductions apart") {
    const auto x = zeros<float>({2, 2}, device::cpu());
    const std::vector<std::vector<std::uint64_t>> keys{key_of(sum(x, axis<0>)), key_of(sum(x, axis<1>)),
                                                       key_of(prod(x, axis<1>)), key_of(norm(x, axis<1>)),
                                                       key_of(norm<1>(x, axis<1>))};
    for (std::size_t i = 0; i < keys.size(); ++i) CHECK(std::ranges::count(keys, keys[i]) == 1);
    CHECK(key_of(sum(x, axis<-1>)) == keys[1]);
  }

  TEST_CASE("degrees of freedom are a run-time parameter of expressions and stateful functions") {
    const auto x = zeros<float>({4}, device::cpu());
    const graph written = replayed(var(x, ddof(3)));
    CHECK(written.parameters.size() == 1);
    const std::vector<reference_array> inputs{reals({4}, {1, 2, 3, 6})};
    const auto bits = [](float number) { return std::uint64_t{std::bit_cast<std::uint32_t>(number)}; };
    CHECK(interpreted(written, inputs, {bits(0)}).reals.at(0) == 3.5L);
    CHECK(interpreted(written, inputs, {bits(3)}).reals.at(0) == 14);
    CHECK(std::isinf(interpreted(written, inputs, {bits(5)}).reals.at(0)));
    CHECK(replayed(var(x, ddof(literal(3)))).parameters.empty());
    CHECK(record<floats<1>>([](auto a) { return var(a, ddof(3)); }).parameters.empty());
  }

  TEST_CASE("an accumulator is where elements are converted and what results") {
    const reference_array large = reals({3}, {16777216, 1, 1});
    CHECK(interpreted(record<floats<1>>([](auto x) { return sum(x); }), {large}).reals.at(0) == 16777216);
    CHECK(interpreted(record<floats<1>>([](auto x) { return sum<double>(x); }), {large}).reals.at(0) ==
          16777218);
    const reference_array bytes{element_type::int8, {3}, {}, {100, 100, 100}};
    const auto of_bytes = [&bytes](const auto& body) {
      return static_cast<std::int64_t>(
          interpreted(record<view<const std::int8_t, 1>>(body), {bytes}).integers.at(0));
    };
    CHECK(of_bytes([](auto x) { return sum(x); }) == 300);
    CHECK(of_bytes([](auto x) { return sum<std::int8_t>(x); }) == 44);
    CHECK(of_bytes([](auto x) { return sum<bool>(x); }) == 1);
    // NaN is tested before a conversion that would turn it into 0
    const long double nan_number = std::numeric_limits<long double>::quiet_NaN();
    CHECK(interpreted(record<floats<1>>([](auto x) { return nanprod<int>(x); }),
                      {reals({3}, {2, nan_number, 3})})
              .integers.at(0) == 6);
  }

  TEST_CASE("a mask is broadcast, and what it holds back is never seen") {
    const long double nan_number = std::numeric_limits<long double>::quiet_NaN();
    const long double infinity = std::numeric_limits<long double>::infinity();
    const std::vector<reference_array> inputs{reals({2, 3}, {1, nan_number, 3, 4, infinity, 8}),
                                              booleans({3}, {1, 0, 1})};
    const auto masked = [&inputs](const auto& body) {
      return interpreted(record<floats<2>, view<const bool, 1>>(body), inputs).reals;
    };
    CHECK(masked([](auto x, auto m) { return sum(x, axis<1>, only_where(m)); }) == numbers{4, 12});
    CHECK(masked([](auto x, auto m) { return mean(x, only_where(m), axis<1>); }) == numbers{2, 6});
    CHECK(masked([](auto x, auto m) { return mean(x, only_where(m)); }) == numbers{4});
    CHECK(masked([](auto x, auto m) { return var(x, only_where(m), axis<1>, ddof(1)); }) == numbers{2, 8});
    CHECK(masked([](auto x, auto m) { return max(x, only_where(m), axis<0>); }) == numbers{4, -infinity, 8});
    CHECK(masked([](auto x, auto m) { return norm<-inf>(x, only_where(m), axis<1>); }) == numbers{1, 4});
    CHECK(masked([](auto x, auto m) { return softmax(x * 0, only_where(m), axis<1>); }) ==
          numbers{0.5L, 0, 0.5L, 0.5L, 0, 0.5L});
    CHECK(masked([](auto x, auto) { return sum(x, only_where(false)); }) == numbers{0});
  }

  TEST_CASE("of nothing there is an identity, NaN or an error") {
    const reference_array none = reals({2, 0}, {});
    const auto result = [&none](const auto& body) { return interpreted(record<floats<2>>(body), {none}); };
    CHECK(result([](auto x) { return sum(x, axis<1>); }).reals == std::vector<long double>{0, 0});
    CHECK(result([](auto x) { return prod(x); }).reals == std::vector<long double>{1});
    CHECK(result([](auto x) { return all(x, axis<1>); }).integers == std::vector<std::uint64_t>{1, 1});
    CHECK(result([](auto x) { return any(x, axis<1>); }).integers == std::vector<std::uint64_t>{0, 0});
    CHECK(std::isnan(result([](auto x) { return mean(x); }).reals.at(0)));
    CHECK(std::isnan(result([](auto x) { return var(x); }).reals.at(0)));
    CHECK(result([](auto x) { return norm(x); }).reals.at(0) == 0);
    CHECK(result([](auto x) { return max(x, axis<0>); }).size() == 0);
    CHECK_THROWS_AS(result([](auto x) { return max(x); }), shape_error);
    CHECK_THROWS_AS(result([](auto x) { return argmin(x, axis<1>); }), shape_error);
    CHECK(result([](auto x) { return norm<inf>(x, axis<1>); }).reals == std::vector<long double>{0, 0});
    CHECK_THROWS_AS(result([](auto x) { return norm<-inf>(x, axis<1>); }), shape_error);
  }

  TEST_CASE("no axis, and rank 0, leave elements alone") {
    const reference_array x = reals({2}, {3, -4});
    const auto result = [&x](const auto& body) { return interpreted(record<floats<1>>(body), {x}); };
    CHECK(result([](auto a) { return sum(a, axis<>); }).reals == x.reals);
    CHECK(result([](auto a) { return mean(a, axis<>); }).reals == x.reals);
    CHECK(result([](auto a) { return norm(a, axis<>); }).reals == std::vector<long double>{3, 4});
    CHECK(result([](auto a) { return argmax(a, axis<>); }).integers == std::vector<std::uint64_t>{0, 0});
    CHECK(result([](auto a) { return var(a(0)); }).reals == std::vector<long double>{0});
  }

  TEST_CASE("positions skip NaN, and are -1 where there is nothing else") {
    const long double nan_number = std::numeric_limits<long double>::quiet_NaN();
    const reference_array x = reals({2, 3}, {nan_number, 2, 5, nan_number, nan_number, nan_number});
    const auto signed_of = [](const reference_array& from) {
      return std::vector<std::int64_t>(from.integers.begin(), from.integers.end());
    };
    CHECK(signed_of(interpreted(record<floats<2>>([](auto a) { return nanargmin(a, axis<1>); }), {x})) ==
          std::vector<std::int64_t>{1, -1});
    CHECK(signed_of(interpreted(record<floats<2>>([](auto a) { return nanargmax(a); }), {x})) ==
          std::vector<std::int64_t>{2});
  }
}
