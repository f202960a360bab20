#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

template <class T, unsigned Rank>
value<T, Rank> value_of() {
  return value<T, Rank>(detail::recorded_value{});
}
// The element type of an expression over values, without evaluating it.
#define TYPE_OF(expression) typename decltype(expression)::value_type
#define CHECK_TYPE(expression, ...) static_assert(std::is_same_v<TYPE_OF(expression), __VA_ARGS__>)

template <class T>
using vec = value<T, 1>;

// The promotion table of the design, at compile time.
// NOLINTNEXTLINE(readability-function-size): a value of each type that the checks name
[[maybe_unused]] void promotions(vec<bool> b, vec<std::int8_t> i8, vec<int> i32, vec<std::int64_t> i64,
                                 vec<std::uint8_t> u8, vec<std::uint64_t> u64, vec<float16> h,
                                 vec<bfloat16> bf, vec<float> f, vec<double> d,
                                 value<weak<float>, 0> weak_float,
                                 value<weak<std::int64_t>, 0> weak_integer) {
  CHECK_TYPE(2.5 * f, float);
  CHECK_TYPE(2.5f * d, double);
  CHECK_TYPE(b + 1, std::int64_t);
  CHECK_TYPE(i8 + 2.5, double);
  CHECK_TYPE(i8 + 1, std::int8_t);
  CHECK_TYPE(i32 * 2.5f, float);
  CHECK_TYPE(where(b, inf, h), float16);
  CHECK_TYPE(where(b, 1, 0), std::int64_t);
  CHECK_TYPE(where(b, 1.f, 0.f), float);
  CHECK_TYPE(where(b, 1.0, i32), double);
  CHECK_TYPE(f * scalar<double>(2), double);
  CHECK_TYPE(h * scalar<float>(2), float);
  CHECK_TYPE(h * bf, float);
  CHECK_TYPE(h * bfloat16(2), float);
  CHECK_TYPE(h * float16(2), float16);
  CHECK_TYPE(bf * 2.5, bfloat16);
  CHECK_TYPE(i8 + u8, std::int16_t);
  CHECK_TYPE(i64 + u64, double);
  CHECK_TYPE(i32 + f, double);
  CHECK_TYPE(u8 + f, float);
  CHECK_TYPE(i8 + h, float16);
  CHECK_TYPE(b + b, bool);
  CHECK_TYPE(i32 == f, bool);
  CHECK_TYPE(true_divide(i32, 2), double);
  CHECK_TYPE(true_divide(i8, i8), double);
  CHECK_TYPE(sqrt(i8), float16);
  CHECK_TYPE(sqrt(i32), double);
  CHECK_TYPE(floor(i32), int);
  CHECK_TYPE(pow(f, 2), float);
  CHECK_TYPE(f / 2, float);
  CHECK_TYPE(f % 2, float);
  CHECK_TYPE(isnan(f), bool);
  CHECK_TYPE(i32 & 1, int);
  CHECK_TYPE(i32 << 2, int);
  CHECK_TYPE(f * pi, float);
  CHECK_TYPE(i32 * pi, double);
  CHECK_TYPE(weak_float * h, float16);
  CHECK_TYPE(weak_float * i32, float);
  CHECK_TYPE(weak_integer * u8, std::uint8_t);
  CHECK_TYPE(weak_float * weak_integer, float);
  CHECK_TYPE(astype<std::int16_t>(f), std::int16_t);
  CHECK_TYPE(coordinate<0>(f), std::int64_t);
  static_assert(decltype(f + value_of<float, 3>())::rank == 3);
  static_assert(decltype(extent<0>(f))::rank == 0);
}

// Records with typed values and compares with the graph builder's result at run time.
template <class A, class B>
void compare_with_builder() {
  constexpr operand_type a{element_type_of<A>}, b{element_type_of<B>};
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation)         \
  if constexpr (arity == 2) {                                                                   \
    if constexpr (apply_rule(type_rule::rule, a, b).valid) {                                    \
      using recorded = decltype(name(value_of<A, 1>(), value_of<B, 2>()));                      \
      graph_builder builder;                                                                    \
      const graph_value made =                                                                  \
          builder.apply(operation::name, {builder.input(a.type, 1), builder.input(b.type, 2)}); \
      CHECK(made.type.type == element_type_of<typename recorded::value_type>);                  \
      CHECK(made.rank == recorded::rank);                                                       \
    }                                                                                           \
  }
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
}

template <class T>
std::vector<T> one_to_four() {
  std::vector<T> numbers;
  for (int i = 1; i <= 4; ++i) numbers.push_back(static_cast<T>(i));
  return numbers;
}

}  // namespace

TEST_SUITE("dsl_types") {
  TEST_CASE("static types are those of the run-time builder") {
    compare_with_builder<bool, std::int8_t>();
    compare_with_builder<std::int8_t, std::uint8_t>();
    compare_with_builder<std::int64_t, std::uint64_t>();
    compare_with_builder<int, float16>();
    compare_with_builder<float16, bfloat16>();
    compare_with_builder<std::uint16_t, bfloat16>();
    compare_with_builder<float, double>();
    compare_with_builder<bool, bool>();
  }

  TEST_CASE("results have the types that their C++ types say") {
    const auto check = [](auto tag) {
      using T = decltype(tag);
      const auto x = array<T, 1>::from(one_to_four<T>(), {4});
      const array<T, 1> sum = x + x;
      const array<T, 1> with_number = x * 2;
      CHECK(static_cast<double>(sum.to_vector()[3]) == 8);
      CHECK(static_cast<double>(with_number.to_vector()[2]) == 6);
      const array<double, 1> wide = astype<double>(x);
      CHECK(wide.to_vector() == std::vector<double>{1, 2, 3, 4});
      const array<bool, 1> compared = x >= 3;
      CHECK(compared.to_vector() == std::vector<bool>{false, false, true, true});
    };
    check(std::int8_t{});
    check(std::int16_t{});
    check(std::int32_t{});
    check(std::int64_t{});
    check(std::uint8_t{});
    check(std::uint16_t{});
    check(std::uint32_t{});
    check(std::uint64_t{});
    check(float16{});
    check(bfloat16{});
    check(float{});
    check(double{});
  }

  TEST_CASE("weak integers outside of the type that they meet throw") {
    const auto bytes = array<std::int8_t, 1>::from({1}, {1});
    const auto unsigned_bytes = array<std::uint8_t, 1>::from({1}, {1});
    const auto wide = array<std::uint64_t, 1>::from({1}, {1});
    CHECK_THROWS_AS(evaluate(bytes + 128), type_error);
    CHECK_THROWS_AS(evaluate(unsigned_bytes - -1), type_error);
    CHECK_THROWS_AS(evaluate(wide + -1), type_error);
    CHECK_THROWS_AS(fuse([](auto x) { return x + 1000; })(bytes), type_error);
    CHECK(evaluate(wide + std::numeric_limits<std::uint64_t>::max()).to_vector()[0] == 0);
    CHECK(evaluate(bytes + -128).to_vector()[0] == -127);
    CHECK(evaluate(bytes + 1000.0).to_vector()[0] == 1001.0);
    const auto flags = array<bool, 1>::from({true}, {1});
    const array<bool, 1> logical = logical_and(bytes, 1000) && flags;  // converted to bool: nothing overflows
    CHECK(logical.to_vector()[0]);
  }

  TEST_CASE("int64 and uint64 scalars compare exactly") {
    const auto large =
        array<std::uint64_t, 1>::from({std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1}, {2});
    const array<bool, 1> equal_to = large == scalar<std::uint64_t>((std::uint64_t{1} << 63) + 1);
    CHECK(equal_to.to_vector() == std::vector<bool>{false, true});
    const array<bool, 1> above = large > scalar<std::int64_t>(-1);
    CHECK(above.to_vector() == std::vector<bool>{true, true});
  }

  TEST_CASE("16-bit floats round to nearest even and convert exactly") {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float16 h = float16::from_bits(static_cast<std::uint16_t>(bits));
      const bfloat16 b = bfloat16::from_bits(static_cast<std::uint16_t>(bits));
      if (!std::isnan(float(h)) && float16(float(h)).bits() != bits) FAIL("float16 " << bits);
      if (!std::isnan(float(b)) && bfloat16(float(b)).bits() != bits) FAIL("bfloat16 " << bits);
    }
    CHECK(float16(65519.0f).bits() == 0x7bff);
    CHECK(float16(65520.0f).bits() == 0x7c00);
    CHECK(float16(0x1p-25).bits() == 0);
    CHECK(float16(0x1.8p-25).bits() == 1);
    CHECK(float16(0x1.8p-24).bits() == 2);
    CHECK(float16(1 + 0x1p-11).bits() == 0x3c00);
    CHECK(float16(1 + 0x1p-11 + 0x1p-40).bits() == 0x3c01);  // a tie in float, none in double
    CHECK(float16(1 + 3 * 0x1p-11).bits() == 0x3c02);
    CHECK(std::isnan(float(float16(std::nan("")))));
    CHECK(bfloat16(3.3895314e38f).bits() == 0x7f7f);
    CHECK(bfloat16(3.4e38f).bits() == 0x7f80);
    CHECK(std::signbit(float(float16(-0.0))));
    static_assert(float16(1.5).bits() == 0x3e00);
    static_assert(float(bfloat16(-2)) == -2.0f);
    CHECK(detail::narrowed(detail::format_of(element_type::float16), 0x1p-24) == 1);
  }
}
