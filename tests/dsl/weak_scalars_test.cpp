// Operations among scalars: their result is a scalar, which takes the type it meets. One table of
// expressions, with NumPy 2's types for Python scalars a and b, through all four front ends.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace sinter;

namespace {

// ---- the run-time builder, with the operators of the table ----

struct built {
  graph_builder* builder;
  graph_value value;
};
template <class T>
concept number = std::is_arithmetic_v<T>;
graph_value taken(graph_builder&, const built& from) { return from.value; }
graph_value taken(graph_builder& builder, number auto value) { return builder.literal(value); }
template <class T>
graph_value taken(graph_builder& builder, const detail::explicit_scalar<T, false>& strong) {
  return builder.literal(element_type_of<T>, strong.bits);
}
template <class T>
constexpr bool is_built = std::is_same_v<T, built>;
template <class... T>
graph_builder& builder_of(const T&... operands) {
  graph_builder* found = nullptr;
  const auto look = [&found](const auto& operand) {
    if constexpr (is_built<std::remove_cvref_t<decltype(operand)>>) found = operand.builder;
  };
  (look(operands), ...);
  return *found;
}
template <class... T>
built built_by(operation op, const T&... operands) {
  graph_builder& builder = builder_of(operands...);
  return {&builder, builder.apply(op, {taken(builder, operands)...})};
}

#define BUILT_2(name, op)                 \
  template <class A, class B>             \
    requires(is_built<A> || is_built<B>)  \
  built name(const A& a, const B& b) {    \
    return built_by(operation::op, a, b); \
  }
BUILT_2(operator+, add)
BUILT_2(operator-, subtract)
BUILT_2(operator*, multiply)
BUILT_2(operator/, true_divide)
BUILT_2(operator<, less)
BUILT_2(operator>, greater)
BUILT_2(operator&, bitwise_and)
BUILT_2(operator<<, left_shift)
BUILT_2(maximum, maximum)
BUILT_2(pow, power)
BUILT_2(true_divide, true_divide)
BUILT_2(make_complex, make_complex)
#undef BUILT_2
built operator-(const built& a) { return built_by(operation::negative, a); }
built exp(const built& a) { return built_by(operation::exp, a); }
built sqrt(const built& a) { return built_by(operation::sqrt, a); }
built abs(const built& a) { return built_by(operation::absolute, a); }
template <class B, class C>
built where(const built& condition, const B& b, const C& c) {
  return built_by(operation::where, condition, b, c);
}
template <class B, class C>
built clip(const built& a, const B& b, const C& c) {
  return built_by(operation::clip, a, b, c);
}
built sum(const built& a) {
  return {a.builder, a.builder->reduce(operation::sum, a.value, (1u << a.value.rank) - 1)};
}
template <class T>
built astype(const built& a) {
  return {a.builder, a.builder->cast(a.value, element_type_of<T>)};
}

// ---- one expression through the front ends ----

/// Type of a result and its first element; complex ones as two parts.
struct outcome {
  element_type type{};
  std::complex<double> first;
  bool operator==(const outcome&) const = default;
};
template <class T, unsigned Rank>
outcome outcome_of(const array<T, Rank>& made) {
  const T first = made.to_vector()[0];
  if constexpr (is_complex(element_type_of<T>))
    return {element_type_of<T>, {static_cast<double>(first.real()), static_cast<double>(first.imag())}};
  else
    return {element_type_of<T>, {static_cast<double>(first), 0}};
}
outcome outcome_of(const any_array& made) {
  const element_type type = made.type();
  any_view flat(made.data(), type, std::vector<std::int64_t>{1}, std::vector<std::int64_t>{1}, made.device());
  switch (type) {
#define OUTCOME(name, T)   \
  case element_type::name: \
    return outcome_of(flat.to<const T, 1>().copy());
    OUTCOME(boolean, bool)
    OUTCOME(int8, std::int8_t)
    OUTCOME(int16, std::int16_t)
    OUTCOME(int32, std::int32_t)
    OUTCOME(int64, std::int64_t)
    OUTCOME(uint8, std::uint8_t)
    OUTCOME(uint16, std::uint16_t)
    OUTCOME(uint32, std::uint32_t)
    OUTCOME(uint64, std::uint64_t)
    OUTCOME(float16, float16)
    OUTCOME(bfloat16, bfloat16)
    OUTCOME(float32, float)
    OUTCOME(float64, double)
    OUTCOME(complex64, std::complex<float>)
    OUTCOME(complex128, std::complex<double>)
#undef OUTCOME
  }
  return {};
}

template <class X, class Expression, class A, class B>
void check(const std::string& text, const Expression& expression, A a, B b, element_type type,
           std::complex<double> first) {
  CAPTURE(text);
  const auto x = array<X, 1>::from({X(2), X(1)}, {2});
  const outcome expected{type, first};
  const auto agrees = [&](const outcome& made) {
    CHECK(made.type == expected.type);
    const double scale = std::max(1.0, std::abs(expected.first));
    const double digits = component_of(type) == element_type::float64 ? 0x1p-50
                          : type == element_type::float16             ? 0x1p-10
                                                                      : 0x1p-22;
    CHECK(std::abs(made.first - expected.first) <= scale * digits);
  };
  {
    INFO("stateless: numbers are arguments and literals");
    agrees(outcome_of(fuse(expression)(x, a, b)));
  }
  {
    INFO("stateful: numbers are arguments and parameters");
    const int state = 0;
    const auto capturing = [&expression, &state](auto v, auto m, auto n) {
      static_cast<void>(state);
      return expression(v, m, n);
    };
    agrees(outcome_of(fuse(capturing)(x, a, b)));
  }
  {
    INFO("inlined: numbers are handed to a function of the one that is recorded");
    const auto inner = fuse(expression);
    agrees(outcome_of(fuse([&](auto v) { return inner(v, a, b); })(x)));
  }
  {
    INFO("lazy: operands are expressions of numbers");
    const auto f = fuse(expression);
    agrees(outcome_of(f(x + X(0), a, b)));
  }
  const auto build = [&](graph_builder& builder, std::span<const graph_value> values) {
    const built made =
        expression(built{&builder, values[0]}, built{&builder, values[1]}, built{&builder, values[2]});
    builder.output(made.value);
  };
  {
    INFO("builder: numbers are parameters");
    agrees(outcome_of(evaluate({x, a, b}, build)[0]));
  }
  {
    INFO("builder: numbers are literals");
    agrees(outcome_of(evaluate({x, literal(a), literal(b)}, build)[0]));
  }
}

#define CASE(T, expression, a_is, b_is, type, ...)                                                          \
  check<T>(                                                                                                 \
      #expression,                                                                                          \
      []([[maybe_unused]] auto x, [[maybe_unused]] auto a, [[maybe_unused]] auto b) { return expression; }, \
      a_is, b_is, element_type::type, std::complex<double>(__VA_ARGS__))

}  // namespace

TEST_SUITE("weak scalars") {
  TEST_CASE("what floating numbers make of floating numbers yields to the array it meets") {
    CASE(float, x * (-a), 2.5, 0.5, float32, -5);
    CASE(float, x * (2 * a), 2.5, 0.5, float32, 10);
    CASE(float, x*(a * b), 2.5, 0.5, float32, 2.5);
    CASE(float, x* exp(-a), 2.5, 0.5, float32, 0.16416999724779760);
    CASE(float, x + maximum(a, b), 2.5, 0.5, float32, 4.5);
    CASE(float, x* pow(a, 2), 2.5, 0.5, float32, 12.5);
    CASE(float, x* abs(-a), 2.5, 0.5, float32, 5);
    CASE(float, x / (a / b), 2.5, 0.5, float32, 0.4);
    CASE(float, clip(x, -a, a), 1.5, 0.5, float32, 1.5);
    CASE(float16, x * (a * b), 2.5, 0.5, float16, 2.5);
    CASE(bfloat16, x * (a + b), 2.5, 0.5, bfloat16, 6);
    CASE(std::complex<float>, x * (-a), 2.5, 0.5, complex64, -5, 0);
    CASE(float, x* make_complex(a, b), 2.5, 0.5, complex64, 5, 1);
    CASE(double, x*(a * b), 2.5f, 0.5f, float64, 2.5);
  }

  TEST_CASE("what integers make of integers yields to the array it meets") {
    CASE(std::uint64_t, x + (a + b), 3, 2, uint64, 7);
    CASE(std::int8_t, x + (a + b), 3, 2, int8, 7);
    CASE(std::int8_t, x - (a - b), 3, 2, int8, 1);
    CASE(std::int8_t, x << (a - b), 3, 2, int8, 4);
    CASE(std::int8_t, maximum(x, a - b), 3, 2, int8, 2);
    CASE(std::uint8_t, x + (a & b), 3, 2, uint8, 4);
    CASE(std::int32_t, x + (a + b) * 2, 3, 2, int32, 12);
    CASE(float, x*(a + b), 3, 2, float32, 10);
    CASE(float16, x * (a - b), 3, 2, float16, 2);
    CASE(bool, x + (a + b), 3, 2, int64, 6);
    CASE(std::int8_t, x + (a - 200), 250, 2, int8, 52);  // only the final value must fit
  }

  TEST_CASE("a quotient or a function of integers is a floating number that yields") {
    CASE(float, x* true_divide(a, b), 3, 2, float32, 3);
    CASE(float16, x * true_divide(a, b), 3, 2, float16, 3);
    CASE(std::int8_t, x* true_divide(a, b), 3, 2, float64, 3);
    CASE(float, x* sqrt(a), 3, 2, float32, 3.4641016151377544);
    CASE(float, x*(a * 0.5), 3, 2, float32, 3);
    CASE(std::int32_t, x* exp(a), 2.5, 2, float64, 24.364987921406946);
  }

  TEST_CASE("alone, numbers have NumPy's types for them, and floats stay float32") {
    CASE(float, 2 * a, 2.5, 0.5, float64, 5);
    CASE(float, a* b, 3, 2, int64, 6);
    CASE(float, true_divide(a, b), 3, 2, float64, 1.5);
    CASE(float, 2 * a, 2.5f, 0.5, float32, 5);
    CASE(float, a < b, 2.5, 0.5, boolean, 0);
    CASE(std::int32_t, x*(a * a), 2.5f, 2, float32, 12.5);
    CASE(float, -a, 3, 2, int64, -3);
  }

  TEST_CASE("what is no number among numbers is strong") {
    CASE(float, x*(a + scalar<double>(2)), 2.5, 0.5, float64, 9);
    CASE(float, x* astype<double>(a), 2.5, 0.5, float64, 5);
    CASE(std::int8_t, x + (a < b), 2.5, 3, int8, 3);
  }

  // NumPy's where() turns scalars into arrays; here floating ones remain scalars, so that a mask does not
  // widen its factor. Integers are int64, as in the design and in NumPy.
  TEST_CASE("a choice between floating numbers is one of them, between integers it is int64") {
    CASE(float, where(x > 0, a, 0.0), 2.5, 0.5, float64, 2.5);
    CASE(float, where(x > 0, a, 0.0f), 2.5f, 0.5, float32, 2.5);
    CASE(float, x* where(x > 0, a, 0.0), 2.5, 0.5, float32, 5);
    CASE(float16, x * (1 - where(x > 0, a, b)), 2.5, 0.5, float16, -3);
    CASE(float, where(a < b, a, b) * x, 2.5, 0.5, float32, 1);
    CASE(std::int8_t, x + where(a < b, a, b), 3, 2, int8, 4);
    CASE(std::int8_t, where(x > 0, a, b), 3, 2, int64, 3);
    CASE(std::int8_t, x + where(x > 0, a, b), 3, 2, int64, 5);
    CASE(float, sum(where(x > 0, a, 0.0)), 2.5, 0.5, float64, 5);
    CASE(std::int8_t, sum(where(x > 0, a, b)), 3, 2, int64, 6);
  }

  TEST_CASE("expressions over arrays hold numbers as functions do") {
    const auto x = array<float, 1>::from({2, -1}, {2});
    const double a = 2.5;
    const array<float, 1> chosen = where(x > 0, a, 0.0);
    CHECK(chosen.to_vector() == std::vector<float>{2.5f, 0});
    const array<float, 1> scaled = x * where(x > 0, a, 0.1);
    CHECK(scaled.to_vector() == std::vector<float>{5, -0.1f});
    CHECK(evaluate(where(x > 0, a, 0.0)).to_vector() == std::vector<double>{2.5, 0});
    CHECK(evaluate(x * (1 - where(x > 0, a, 0.0))).to_vector() == std::vector<float>{-3, -1});
    array<float, 1> y(x.shape());
    y() = where(x > 0, a, 0.0);
    CHECK(y.to_vector() == std::vector<float>{2.5f, 0});
    y *= where(x > 0, a, 0.0);
    CHECK(y.to_vector() == std::vector<float>{6.25f, 0});
    static_assert(std::is_same_v<decltype(evaluate(where(x > 0, 1, 0))), array<std::int64_t, 1>>);
  }

  TEST_CASE("a name of definite type takes numbers, and a choice between them") {
    const auto x = array<float, 1>::from({2, -1}, {2});
    const auto f = fuse([](value<float, 1> v, auto a) {
      value<float, 1> kept = v;
      kept = where(v > 0, a, 0.0);
      value<float, 0> factor = a * 2;
      factor = -a;
      a = a * 2;  // still made of scalars
      return kept * factor + a;
    });
    static_assert(std::is_same_v<decltype(f(x, 2.5)), array<float, 1>>);
    CHECK(f(x, 2.5).to_vector() == std::vector<float>{-1.25f, 5});
  }

  TEST_CASE("an integer that numbers come to has to fit, in every door") {
    const auto x = array<std::int8_t, 1>::from({2, 1}, {2});
    const auto add = [](auto v, auto a, auto b) { return v + (a + b); };
    CHECK(fuse(add)(x, 100, -99).to_vector()[0] == 3);
    CHECK_THROWS_AS(fuse(add)(x, 100, 100), type_error);
    CHECK_THROWS_AS(fuse([&](auto v, auto a, auto b) { return add(v, a, b); })(x, 100, 100), type_error);
    CHECK_THROWS_AS(fuse(add)(x + x, 100, 100), type_error);
    const auto build = [](graph_builder& builder, std::span<const graph_value> values) {
      builder.output(
          builder.apply(operation::add, {values[0], builder.apply(operation::add, {values[1], values[2]})}));
    };
    CHECK(outcome_of(evaluate({x, 100, -99}, build)[0]) == outcome{element_type::int8, 3});
    CHECK_THROWS_AS(evaluate({x, 100, 100}, build), type_error);
    CHECK_THROWS_AS(evaluate({x, literal(100), literal(100)}, build), type_error);
    try {
      fuse(add)(x, 100, 100);
    } catch (const type_error& caught) {
      const std::string said = caught.what();
      CHECK(said.find("add of scalars at ") != said.npos);
      CHECK(said.find("is 200, which does not fit int8") != said.npos);
    }
    // as elements of a vector with one element
    const auto widened = fuse([](auto v, auto a) { return v + a(newaxis); });
    CHECK(widened(x, 100).to_vector() == std::vector<std::int8_t>{102, 101});
    CHECK_THROWS_AS(widened(x, 200), type_error);
  }

  TEST_CASE("what is chosen by elements is not looked at before the call, and wraps") {
    const auto x = array<std::int8_t, 1>::from({2, 1}, {2});
    const auto f = fuse([](auto v, auto a, auto b) { return v + where(any(v > 0), a, b); });
    static_assert(std::is_same_v<decltype(f(x, 1, 2)), array<std::int8_t, 1>>);
    CHECK(f(x, 100, 2).to_vector()[0] == 102);
    CHECK(f(x, 256, 2).to_vector()[0] == 2);
  }
}
