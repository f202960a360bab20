// Functions of operands whose types are known at run time, built once; compositions and names in the builder.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <sinter/builder.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

any_function scaled_by() {
  const array<float, 1> like(0);
  return any_function({like, 2.5}, [](graph_builder& builder, auto operands) {
    builder.output(builder.apply(operation::multiply, operands));
  });
}

/// What a composition of the builder gives for a matrix.
template <class Compose>
std::vector<float> composed(const array<float, 2>& x, const Compose& compose) {
  const auto made = evaluate(
      {x}, [&](graph_builder& builder, auto operands) { builder.output(compose(builder, operands[0])); });
  return made.front().template to_vector<float>();
}

}  // namespace

TEST_SUITE("functions of run-time types") {
  TEST_CASE("they are built once, and called with other elements and numbers") {
    int built = 0;
    const array<float, 1> like(3);
    const any_function f({like, 2.5}, [&](graph_builder& builder, auto operands) {
      ++built;
      builder.output(builder.apply(operation::multiply, operands));
    });
    CHECK(f.results() == 1);
    for (const double factor : {2.0, 3.0}) {
      const auto x = array<float, 1>::from({1, 2, 3, 4});
      CHECK(f({x, factor}).front().to_vector<float>() ==
            std::vector<float>{float(factor), 2 * float(factor), 3 * float(factor), 4 * float(factor)});
    }
    CHECK(built == 1);
  }
  TEST_CASE("numbers that are found while building are parameters: another one compiles nothing") {
    const auto x = array<float, 1>::from({1, 2});
    const auto formula = [&](double number) {
      return evaluate({x, 1.0}, [&](graph_builder& builder, auto operands) {
        const graph_value shifted = builder.apply(operation::add, {operands[0], builder.number(number)});
        builder.output(builder.apply(operation::multiply, {shifted, operands[1]}));
      });
    };
    CHECK(formula(2.5).front().to_vector<float>() == std::vector<float>{3.5f, 4.5f});
    const std::size_t functions = runtime::function_count();
    CHECK(formula(3.5).front().to_vector<float>() == std::vector<float>{4.5f, 5.5f});
    CHECK(runtime::function_count() == functions);
    const any_function f({x}, [](graph_builder& builder, auto operands) {
      builder.output(builder.apply(operation::add, {operands[0], builder.number(7)}));
    });
    CHECK(f({x}).front().to_vector<float>() == std::vector<float>{8, 9});
  }
  TEST_CASE("results go into elements that exist") {
    const any_function f = scaled_by();
    const auto x = array<float, 1>::from({1, 2});
    array<float, 1> z(2);
    f({x, 4.0}, {z});
    CHECK(z.to_vector() == std::vector<float>{4, 8});
    CHECK_THROWS_WITH_AS(f({x, 4.0}, {}), doctest::Contains("1 results, and there are views for 0"),
                         shape_error);
  }
  TEST_CASE("they are prepared, explained and shown as text") {
    const any_function f = scaled_by();
    const auto x = array<float, 1>::from({1, 2});
    f.prepare({x, 1.0});
    CHECK(f.explain({x, 1.0}).find("multiply") != std::string::npos);
    CHECK(f.source({x, 1.0}).find("*") != std::string::npos);  // ptx and assembly: kernel_listings_test.cpp
    CHECK(f.workspace_bytes({x, 1.0}) == 0);
  }
  TEST_CASE("operands of other types and ranks are refused by their places") {
    const any_function f = scaled_by();
    const auto x = array<float, 1>::from({1, 2});
    const auto m = array<float, 2>::from({{1, 2}});
    const auto d = array<double, 1>::from({1, 2});
    CHECK_THROWS_WITH_AS((void)f({x}), doctest::Contains("takes 2 operands, and is called with 1"),
                         type_error);
    CHECK_THROWS_WITH_AS((void)f({m, 1.0}), doctest::Contains("operand 0 is float32[:]"), shape_error);
    CHECK_THROWS_WITH_AS((void)f({d, 1.0}), doctest::Contains("the call has float64[:]"), type_error);
    CHECK_THROWS_WITH_AS((void)f({x, x}), doctest::Contains("operand 1 is a number"), type_error);
    CHECK_THROWS_WITH_AS((void)f({x, 2}), doctest::Contains("as in 2.0 for 2"), type_error);
  }
}

TEST_SUITE("compositions in the builder") {
  TEST_CASE("means, variances, norms and softmax are those of the functions of these names") {
    const auto x = array<float, 2>::from({{1, 2, 4}, {0.5f, -3, 7}});
    const reduction_options rows{.axes = 0b10};
    CHECK(composed(x, [&](auto& b, auto v) { return mean(b, v, rows); }) ==
          evaluate(mean(x, axis<1>)).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) { return stddev(b, v, rows); }) ==
          evaluate(stddev(x, axis<1>)).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) { return softmax(b, v, rows); }) ==
          evaluate(softmax(x, axis<1>)).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) { return log_softmax(b, v, rows); }) ==
          evaluate(log_softmax(x, axis<1>)).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) { return logsumexp(b, v); }) ==
          evaluate(logsumexp(x)).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) { return norm(b, v, {.axes = 0b1, .order = 1}); }) ==
          evaluate(norm<1>(x, axis<0>)).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) {
            return var(b, v, {.axes = 0b10, .keepdims = true, .ddof = b.literal(1)});
          }) == evaluate(var(x, axis<1>, keepdims, ddof(1))).to_vector());
    CHECK(composed(x, [&](auto& b, auto v) {
            return mean(b, v, {.axes = 0b10, .mask = b.apply(operation::greater, {v, b.literal(0)})});
          }) == evaluate(mean(x, axis<1>, only_where(x > 0))).to_vector());
  }
  TEST_CASE("what does not fit is refused by name") {
    const auto x = array<float, 2>::from({{1, 2}});
    const auto refused = [&](const auto& compose) { return composed(x, compose); };
    CHECK_THROWS_WITH_AS(refused([](auto& b, auto v) { return mean(b, v, {.axes = 0b100}); }),
                         doctest::Contains("mean(float32[:,:])"), shape_error);
    CHECK_THROWS_AS(refused([](auto& b, auto v) { return mean(b, v, {.ddof = b.literal(1)}); }), type_error);
    CHECK_THROWS_AS(refused([](auto& b, auto v) { return softmax(b, v, {.keepdims = true}); }), type_error);
    CHECK_THROWS_AS(refused([](auto& b, auto v) { return mean(b, v, {.mask = v}); }), type_error);
    CHECK_THROWS_AS(refused([](auto& b, auto v) { return mean(b, v, {.accumulator = element_type::int32}); }),
                    type_error);
  }
  TEST_CASE("operations have names, and a wrong one says which are near") {
    CHECK(operation_named("logaddexp") == operation::logaddexp);
    CHECK(operation_named("sum") == operation::sum);
    CHECK_THROWS_WITH_AS((void)operation_named("maximun"), doctest::Contains("did you mean 'maximum'"),
                         error);
  }
  TEST_CASE("items of a view have names") {
    const auto x = array<float, 2>::from({{1, 2, 3}, {4, 5, 6}});
    const auto made = composed(x, [](graph_builder& b, graph_value v) {
      const view_item items[] = {view_item::index(-1), view_item::slice(0, 2)};
      return b.view(v, items);
    });
    CHECK(made == std::vector<float>{4, 5});
    const auto reversed = composed(x, [](graph_builder& b, graph_value v) {
      const view_item items[] = {view_item::newaxis(), view_item::from(1), view_item::all()};
      return b.view(v, items);
    });
    CHECK(reversed == std::vector<float>{4, 5, 6});
  }
}
