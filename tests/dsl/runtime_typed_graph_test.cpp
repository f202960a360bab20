// evaluate(): a graph built and called with element types that are known only at run time.
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace sinter;

namespace {

/// values[0] * values[1], or another operation.
auto applied(operation op) {
  return [op](graph_builder& builder, std::span<const graph_value> values) {
    builder.output(builder.apply(op, values));
  };
}
template <class T>
std::vector<T> elements(const any_array& from) {
  return from.view().to<const T, 1>().to_vector();
}

}  // namespace

TEST_SUITE("evaluate") {
  TEST_CASE("scalars are operands in their place, and yield as C++ numbers do") {
    const auto x = array<float, 1>::from({1, 2}, {2});
    const auto bytes = array<std::int8_t, 1>::from({1, 2}, {2});
    const auto product = applied(operation::multiply);
    CHECK(elements<float>(evaluate({x, 2.5}, product)[0]) == std::vector<float>{2.5f, 5});
    CHECK(elements<float>(evaluate({2, x}, product)[0]) == std::vector<float>{2, 4});
    CHECK(elements<double>(evaluate({x, scalar<double>(2.5)}, product)[0]) == std::vector<double>{2.5, 5});
    CHECK(elements<double>(evaluate({bytes, 0.5}, product)[0]) == std::vector<double>{0.5, 1});
    CHECK(elements<float>(evaluate({bytes, 0.5f}, product)[0]) == std::vector<float>{0.5f, 1});
    CHECK(elements<std::int8_t>(evaluate({bytes, 3}, product)[0]) == std::vector<std::int8_t>{3, 6});
    CHECK_THROWS_AS(evaluate({bytes, 300}, product), type_error);
    CHECK(elements<bool>(evaluate({bytes, true}, applied(operation::logical_and))[0]) ==
          std::vector<bool>{true, true});
    CHECK(elements<float16>(evaluate({bytes, float16(2)}, product)[0])[1] == float16(4));
    const std::vector<std::complex<float>> turned{{0, 1}, {0, 2}};
    CHECK(elements<std::complex<float>>(evaluate({x, std::complex<double>(0, 1)}, product)[0]) == turned);
    CHECK(std::isinf(elements<float>(evaluate({x, inf}, product)[0])[0]));
  }

  TEST_CASE("scalars of run-time type are made of bits") {
    const auto x = array<std::int16_t, 1>::from({1, 2}, {2});
    const auto sum = applied(operation::add);
    const any_scalar minus_one(element_type::int8, ~std::uint64_t{0});
    CHECK(minus_one.type() == operand_type{element_type::int8});
    CHECK(elements<std::int16_t>(evaluate({x, minus_one}, sum)[0]) == std::vector<std::int16_t>{0, 1});
    const any_scalar wide(element_type::int64, 5), weak(element_type::int64, 5, true);
    CHECK(evaluate({x, wide}, sum)[0].type() == element_type::int64);
    CHECK(evaluate({x, weak}, sum)[0].type() == element_type::int16);
  }

  TEST_CASE("another scalar is the same function, another literal is another one") {
    const auto x = array<float, 1>::from({1, 2}, {2});
    std::vector<graph> graphs;
    const auto build = [&](graph_builder& builder, std::span<const graph_value> values) {
      builder.output(builder.apply(operation::add, values));
      graphs.push_back(builder.recorded());
    };
    CHECK(elements<float>(evaluate({x, 1.5}, build)[0]) == std::vector<float>{2.5f, 3.5f});
    CHECK(elements<float>(evaluate({x, 2.5}, build)[0]) == std::vector<float>{3.5f, 4.5f});
    CHECK(graphs[0].same_content(graphs[1]));
    CHECK(elements<float>(evaluate({x, literal(1.5)}, build)[0]) == std::vector<float>{2.5f, 3.5f});
    CHECK(elements<float>(evaluate({x, literal(2.5)}, build)[0]) == std::vector<float>{3.5f, 4.5f});
    CHECK_FALSE(graphs[2].same_content(graphs[3]));
    CHECK(graphs[2].parameters.empty());
  }

  TEST_CASE("literals are given to the builder by value") {
    const auto x = array<float, 1>::from({1, 2}, {2});
    const auto made = evaluate({x}, [](graph_builder& builder, std::span<const graph_value> values) {
      const auto times = [&](graph_value factor) {
        builder.output(builder.apply(operation::multiply, {values[0], factor}));
      };
      times(builder.literal(2.5));
      times(builder.literal(3));
      times(builder.literal(2.5, element_type::float64));
      times(builder.literal(-1, element_type::int8));
      times(builder.literal(true));
      CHECK(builder.literal(2.5).type == operand_type{element_type::float64, true});
      CHECK(builder.literal(2.5f).type == operand_type{element_type::float32, true});
      CHECK(builder.literal(-1).type == operand_type{element_type::int64, true});
      CHECK(builder.literal(std::uint64_t{1}).type == operand_type{element_type::uint64, true});
      CHECK(builder.literal(true).type == operand_type{element_type::boolean});
      CHECK(builder.literal(true, element_type::float32).type == operand_type{element_type::float32});
      CHECK_THROWS_AS(builder.literal(300, element_type::uint8), type_error);
      CHECK_THROWS_AS(builder.literal(-1, element_type::uint64), type_error);
      const graph_value half = builder.literal(0.1, element_type::float16);
      CHECK(builder.recorded().nodes[half.id].payload == 0x2e66);
    });
    CHECK(elements<float>(made[0]) == std::vector<float>{2.5f, 5});
    CHECK(elements<float>(made[1]) == std::vector<float>{3, 6});
    CHECK(elements<double>(made[2]) == std::vector<double>{2.5, 5});
    CHECK(elements<float>(made[3]) == std::vector<float>{-1, -2});
    CHECK(elements<float>(made[4]) == std::vector<float>{1, 2});
  }

  TEST_CASE("operands and results come in spans, too") {
    const auto x = array<float, 1>::from({1, 2}, {2}), y = array<float, 1>::from({3, 4}, {2});
    array<float, 1> first(x.shape()), second(x.shape());
    const auto both = [](graph_builder& builder, std::span<const graph_value> values) {
      builder.output(builder.apply(operation::add, values));
      builder.output(builder.apply(operation::multiply, values));
    };
    const std::vector<any_view> views{x, y}, into{first, second};
    evaluate(views, into, both);
    CHECK(first.to_vector() == std::vector<float>{4, 6});
    CHECK(second.to_vector() == std::vector<float>{3, 8});
    const std::vector<any_operand> operands{x, 2};
    CHECK(operands[1].is_scalar());
    evaluate(operands, into, both);
    CHECK(second.to_vector() == std::vector<float>{2, 4});
    evaluate({x, 5}, into, both);
    CHECK(second.to_vector() == std::vector<float>{5, 10});
    evaluate({x, 6}, {first, second}, both);
    CHECK(second.to_vector() == std::vector<float>{6, 12});
    CHECK(evaluate(views, both).size() == 2);
    CHECK(evaluate(operands, both).size() == 2);
    const any_array owned(x.copy());
    CHECK(elements<float>(evaluate({owned, 2}, both)[1]) == std::vector<float>{2, 4});
  }

  TEST_CASE("results and the views for them are as many, and may be written") {
    auto x = array<float, 1>::from({1, 2}, {2});
    const auto product = applied(operation::multiply);
    const std::vector<any_view> none, two{x, x}, fixed{std::as_const(x)};
    CHECK_THROWS_AS(evaluate({x, 2}, none, product), shape_error);
    CHECK_THROWS_AS(evaluate({x, 2}, two, product), shape_error);
    CHECK_THROWS_AS(evaluate({x, 2}, fixed, product), type_error);
    CHECK(x.to_vector() == std::vector<float>{1, 2});
  }

  TEST_CASE("an arithmetic mode, a name, a stream and a workspace are options") {
    const auto x = array<float, 1>::from({3, 5}, {2});
    arithmetic_mode mode{};
    std::string name;
    const auto build = [&](graph_builder& builder, std::span<const graph_value> values) {
      mode = builder.recorded().mode;
      name = builder.recorded().name;
      // fused into one rounding unless the mode is strict
      const graph_value square = builder.apply(operation::multiply, {values[0], values[1]});
      builder.output(builder.apply(operation::subtract, {square, values[2]}));
    };
    const float third = 1.0f / 3, product = 3 * third;
    const auto run = [&](const evaluate_options& options) {
      return elements<float>(evaluate({x, third, product}, build, options)[0])[0];
    };
    CHECK(run({.mode = arithmetic_mode::strict, .name = "mine"}) == 0);
    CHECK(mode == arithmetic_mode::strict);
    CHECK(name == "mine");
    CHECK(run({}) != 0);
    CHECK(mode == arithmetic_mode::standard);
    CHECK(name.empty());
    const stream order = stream::create(x.device());
    array<float, 1> made(x.shape());
    evaluate({x, third, product}, {made}, build, {.mode = arithmetic_mode::fast, .on = &order});
    order.synchronize();
    CHECK(mode == arithmetic_mode::fast);
    CHECK(made.to_vector()[1] == doctest::Approx(2.0 / 3));
    const stream elsewhere = stream::create(device::cpu());
    CHECK_NOTHROW(evaluate({x.to(device::cpu()), third, product}, build, {.on = &elsewhere}));
  }

  TEST_CASE("arrays of any type and rank are padded, joined and given another shape") {
    // the last axis mirrored by one element on each side, joined with itself along the first axis, and flat
    const auto mirrored = [](graph_builder& builder, std::span<const graph_value> values) {
      const graph_value x = values[0];
      const graph_value whole =
          builder.apply(operation::add, {builder.extent(x, x.rank - 1u), builder.literal(2)});
      const graph_value wide =
          builder.extended(x, x.rank - 1u, extension::reflect, builder.literal(-1), whole);
      graph_value flat = builder.concatenate(wide, x.rank == 1 ? x : wide, 0);
      while (flat.rank > 1) flat = builder.merged(flat, 0);
      builder.output(flat);
    };
    const auto checks = [&]<class T>(T one) {
      const auto zero = static_cast<T>(0);
      const auto row = array<T, 1>::from({zero, one}, {2});
      CHECK(elements<T>(evaluate({row}, mirrored)[0]) == std::vector<T>{one, zero, one, zero, zero, one});
      const any_array matrix(array<T, 2>::from({zero, one, one, zero}, {2, 2}));
      CHECK(elements<T>(evaluate({matrix}, mirrored)[0]) == std::vector<T>{one, zero, one, zero, zero, one,
                                                                           zero, one, one, zero, one, zero,
                                                                           zero, one, zero, one});
    };
    checks(true);
    checks(std::int8_t{-3});
    checks(std::uint64_t{1} << 63);
    checks(float16(1.5f));
    checks(2.5);
    checks(std::complex<float>(1, -2));
  }

  TEST_CASE("amounts are scalars among the operands: another one is the same function, of other extents") {
    const auto x = array<float, 1>::from({1, 2, 3}, {3});
    std::vector<graph> graphs;
    const auto rolled_and_padded = [&](graph_builder& builder, std::span<const graph_value> values) {
      const graph_value n = builder.apply(operation::negative, {values[1]});
      const graph_value extent = builder.extent(values[0], 0);
      builder.output(builder.extended(values[0], 0, extension::wrap, n, extent));
      builder.output(builder.extended(values[0], 0, extension::edge, n,
                                      builder.apply(operation::add, {extent, values[1]})));
      graphs.push_back(builder.recorded());
    };
    const auto by_one = evaluate({x, 1}, rolled_and_padded);
    CHECK(elements<float>(by_one[0]) == std::vector<float>{3, 1, 2});
    CHECK(elements<float>(by_one[1]) == std::vector<float>{1, 1, 2, 3});
    const any_scalar two(element_type::int8, 2);
    const auto by_two = evaluate({x, any_scalar(element_type::int64, 2, true)}, rolled_and_padded);
    CHECK(elements<float>(by_two[0]) == std::vector<float>{2, 3, 1});
    CHECK(elements<float>(by_two[1]) == std::vector<float>{1, 1, 1, 2, 3});
    CHECK(graphs[0].same_content(graphs[1]));
    array<float, 1> rolled({3}), padded({5});
    const std::vector<any_view> into{rolled, padded};
    evaluate({x, two}, into, rolled_and_padded);
    CHECK(rolled.to_vector() == std::vector<float>{2, 3, 1});
    CHECK(padded.to_vector() == std::vector<float>{1, 1, 1, 2, 3});
    CHECK_THROWS_AS(evaluate({x, 3}, into, rolled_and_padded), shape_error);
    CHECK_THROWS_AS(evaluate({x, 1.0}, rolled_and_padded), type_error);
    CHECK_THROWS_AS(evaluate({x, x}, rolled_and_padded), type_error);
    CHECK_THROWS_AS(evaluate({x, -4}, rolled_and_padded), shape_error);
  }
}
