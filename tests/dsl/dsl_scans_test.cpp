// Scans: result types, recordings, and results in the reference interpreter, compared with NumPy's
// (vectors/scans.hpp).
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../support/drawn/numpy_types.hpp"
#include "../support/recorded.hpp"
#include "../support/ulp.hpp"
#include "../vectors/scans.hpp"

using namespace sinter;
using namespace sinter::test;
using sinter::testing::type_of_code;
using sinter::testing::ulp_distance;

namespace {

operation scan_named(std::string_view name) {
  for (const operation op : {operation::cumsum, operation::cumprod, operation::cummax, operation::cummin})
    if (facts_of(op).name == name) return op;
  FAIL("no scan is called " << name);
  return {};
}

// NOLINTNEXTLINE(readability-function-size): a value of each type that the checks name
[[maybe_unused]] void result_types(value<bool, 2> b, value<std::int8_t, 1> i8, value<std::uint16_t, 2> u16,
                                   value<float16, 2> h, value<bfloat16, 1> bf, value<float, 3> f,
                                   value<bool, 1> mask) {
  CHECK_VALUE(cumsum(f, axis<1>), float, 3);
  CHECK_VALUE(cumsum(f, axis<-3>), float, 3);
  CHECK_VALUE(cumsum<double>(f, axis<2>), double, 3);
  CHECK_VALUE(cumsum(b, axis<0>), std::int64_t, 2);
  CHECK_VALUE(cumsum(u16, axis<0>), std::uint64_t, 2);
  CHECK_VALUE(cumsum(i8), std::int64_t, 1);
  CHECK_VALUE(cumsum<std::int8_t>(i8), std::int8_t, 1);
  CHECK_VALUE(cumsum(i8, only_where(mask)), std::int64_t, 1);
  CHECK_VALUE(cumprod(h, axis<1>), float16, 2);
  CHECK_VALUE(cumprod(bf), bfloat16, 1);
  CHECK_VALUE(cumprod<float>(i8), float, 1);
  CHECK_VALUE(cummax(i8), std::int8_t, 1);
  CHECK_VALUE(cummin(h, axis<1>), float16, 2);
  CHECK_VALUE(cummax(b, axis<0>, only_where(b)), bool, 2);
}

[[maybe_unused]] void expression_types(const array<float, 2>& x, const view<const int, 1>& v) {
  static_assert(is_expression<decltype(cumsum(x, axis<1>)), float, 2>);
  static_assert(is_expression<decltype(cumprod(v)), std::int64_t, 1>);
  static_assert(is_expression<decltype(sum(cumsum(x * 2, axis<0>))), float, 0>);
}

}  // namespace

TEST_SUITE("dsl_scans") {
  TEST_CASE("results are NumPy's, wrapped integers, NaN and -0 included") {
    for (const auto& [name, operand, axis, code, results] : numpy_vectors::scan_results) {
      const auto& [operand_code, values] = numpy_vectors::scan_operands[operand];
      const element_type type = type_of_code(operand_code);
      graph_builder builder;
      builder.output(builder.scan(scan_named(name), builder.input(type, 3), axis));
      verify(builder.recorded());
      const reference_array made = interpreted(builder.recorded(), {array_of(type, {2, 3, 4}, values)});
      const std::vector<std::uint64_t> expected = bits_of(results);
      REQUIRE(made.type == type_of_code(code));
      REQUIRE(made.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(std::string(name));
        CAPTURE(std::string(1, operand_code));
        CAPTURE(axis);
        CAPTURE(i);
        if (!is_floating(made.type)) {
          CHECK(store_reference(made.type, made.at(i)) == expected[i]);
          continue;
        }
        CHECK(ulp_distance(made.type, made.reals[i], expected[i]) <= 1);
        if (made.reals[i] == 0)
          CHECK(std::signbit(made.reals[i]) == std::signbit(real_of(made.type, expected[i])));
      }
    }
  }

  TEST_CASE("lambdas and expressions record one node, along an axis counted from either end") {
    const auto x = zeros<float>({2, 3}, device::cpu());
    const auto same = [](const graph& a, const graph& b) { CHECK(to_string(a) == to_string(b)); };
    const graph written = record<floats<2>>([](auto a) { return cumsum(a, axis<1>); });
    CHECK(to_string(written).find("cumsum(n0, axis 1)") != std::string::npos);
    CHECK(written.nodes.size() == 2);
    same(written, record<floats<2>>([](auto a) { return cumsum(a, axis<-1>); }));
    same(written, replayed(cumsum(x, axis<1>)));
    same(replayed(exp(cumprod(x + x, axis<0>))),
         record<floats<2>>([](auto a) { return exp(cumprod(a + a, axis<0>)); }));
  }

  TEST_CASE("an expression's key tells its scans apart") {
    const auto x = zeros<float>({2, 2}, device::cpu());
    const std::vector<std::vector<std::uint64_t>> keys{key_of(cumsum(x, axis<0>)), key_of(cumsum(x, axis<1>)),
                                                       key_of(cumprod(x, axis<1>)),
                                                       key_of(softmax(x, axis<1>))};
    for (std::size_t i = 0; i < keys.size(); ++i) CHECK(std::ranges::count(keys, keys[i]) == 1);
    CHECK(key_of(cumsum(x, axis<-1>)) == keys[1]);
  }

  TEST_CASE("equal scans are one, and along other axes they are not") {
    const graph made = simplify(record<floats<2>>([](auto x) {
      return cumsum(x, axis<0>) + cumsum(x, axis<0>) * cumsum(x, axis<1>) + cumprod(x, axis<1>);
    }));
    CHECK(std::ranges::count_if(made.nodes, [](const node& at) { return is_scan(at.op); }) == 3);
  }

  TEST_CASE("a scan meets its operand again, and is reduced") {
    const reference_array x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto result = [&x](const auto& body) { return interpreted(record<floats<2>>(body), {x}).reals; };
    CHECK(result([](auto a) { return cumsum(a, axis<1>) - a; }) == numbers{0, 1, 3, 0, 4, 9});
    CHECK(result([](auto a) { return max(cumprod(a, axis<0>), axis<1>); }) == numbers{3, 18});
    CHECK(result([](auto a) { return cumsum(cumsum(a, axis<0>), axis<1>); }) == numbers{1, 3, 6, 5, 12, 21});
    CHECK(result([](auto a) { return cumsum(a, axis<1>, only_where(a != 2)); }) ==
          numbers{1, 1, 4, 4, 9, 15});
  }

  TEST_CASE("an accumulator is where elements are converted and what results") {
    const reference_array large = reals({3}, {16777216, 1, 1});
    CHECK(interpreted(record<floats<1>>([](auto x) { return cumsum(x); }), {large}).reals.at(2) == 16777216);
    CHECK(interpreted(record<floats<1>>([](auto x) { return cumsum<double>(x); }), {large}).reals.at(2) ==
          16777218);
    const reference_array bytes{element_type::int8, {3}, {}, {100, 100, 100}};
    const auto of_bytes = [&bytes](const auto& body) {
      return static_cast<std::int64_t>(
          interpreted(record<view<const std::int8_t, 1>>(body), {bytes}).integers.at(2));
    };
    CHECK(of_bytes([](auto x) { return cumsum(x); }) == 300);
    CHECK(of_bytes([](auto x) { return cumsum<std::int8_t>(x); }) == 44);
  }

  TEST_CASE("of nothing there is nothing") {
    const reference_array none = reals({2, 0}, {});
    CHECK(interpreted(record<floats<2>>([](auto x) { return cumsum(x, axis<1>); }), {none}).size() == 0);
    CHECK(interpreted(record<floats<2>>([](auto x) { return cumprod(x, axis<0>); }), {none}).size() == 0);
    CHECK(interpreted(record<floats<2>>([](auto x) { return sum(cumsum(x, axis<1>), axis<1>); }), {none})
              .reals == numbers{0, 0});
  }

  TEST_CASE("the builder says what is wrong with a scan") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 2);
    const auto message = [&](const auto& action) -> std::string {
      try {
        action();
      } catch (const error& caught) {
        return caught.what();
      }
      return "nothing was thrown";
    };
    CHECK(message([&] { builder.scan(operation::cumsum, x, 2); }).find("there is no axis 2") !=
          std::string::npos);
    CHECK(message([&] { builder.scan(operation::sum, x, 0); }).find("sum(") != std::string::npos);
    CHECK(message([&] { builder.reduce(operation::cumsum, x, 1); }).find("cumsum(") != std::string::npos);
    CHECK(message([&] { builder.apply(operation::cumprod, {x}); }).find("has a function of its own") !=
          std::string::npos);
    builder.output(builder.scan(operation::cumsum, x, 1));
    graph broken = builder.recorded();
    broken.nodes.back().payload = 2;
    CHECK(message([&] { verify(broken); }).find("there is no axis 2") != std::string::npos);
  }
}
