// The C interface, sinter/sinter.h: random numbers.
#include <sinter/sinter.h>
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;
namespace rng = sinter::rng;

namespace {

using builder_handle = owned<sinter_builder>;

sinter_value drawn(const builder_handle& builder, const char* distribution, sinter_element_type type,
                   const std::vector<sinter_value>& operands) {
  sinter_value made = 0;
  const sinter_status status =
      sinter_builder_random(builder.get(), distribution, type, operands.data(), operands.size(), &made);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  return made;
}

/// What one distribution draws like a matrix of 5 rows and 7 columns, of seed 42 and sequence 3.
template <class T>
std::vector<T> numbers(const char* distribution, sinter_element_type type,
                       const std::vector<std::int64_t>& shaping = {}) {
  const auto builder = new_builder();
  std::vector<sinter_value> operands{input(builder, sinter_float32, 2)};
  for (const std::int64_t number : shaping) operands.push_back(integer(builder, number));
  operands.push_back(integer(builder, 42));
  operands.push_back(integer(builder, 3));
  const auto function = finished(builder, {drawn(builder, distribution, type, operands)});
  const elements<float> like({5, 7});
  const std::vector<sinter_operand> arrays{like.operand()};
  return read<T>(called(function, arguments_of(arrays)).get());
}
template <class T, class Expression>
std::vector<T> evaluated(Expression&& expression) {
  return sinter::array<T, 2>(std::forward<Expression>(expression)).to_vector();
}

}  // namespace

TEST_SUITE("the C interface's random numbers") {
  TEST_CASE("each distribution draws what its C++ function draws") {
    const sinter::array<float, 2> like({5, 7}, sinter::device::cpu());
    CHECK(numbers<std::uint32_t>("bits", sinter_uint32) == evaluated<std::uint32_t>(rng::bits(like, 42, 3)));
    CHECK(numbers<std::uint64_t>("bits", sinter_uint64) ==
          evaluated<std::uint64_t>(rng::bits<std::uint64_t>(like, 42, 3)));
    CHECK(numbers<double>("uniform", sinter_float64) == evaluated<double>(rng::uniform<double>(like, 42, 3)));
    CHECK(numbers<float>("normal", sinter_float32) == evaluated<float>(rng::normal(like, 42, 3)));
    CHECK(numbers<float>("exponential", sinter_float32) == evaluated<float>(rng::exponential(like, 42, 3)));
    CHECK(numbers<std::int64_t>("randint", sinter_int64, {-3, 10}) ==
          evaluated<std::int64_t>(rng::randint(like, -3, 10, 42, 3)));
  }

  TEST_CASE("a probability may be an array, and a seed a parameter") {
    const auto builder = new_builder();
    const sinter_value p = input(builder, sinter_float32, 1);
    sinter_value seed = 0;
    REQUIRE(sinter_builder_parameter(builder.get(), sinter_int64, 0, &seed) == sinter_ok);
    sinter_value counted = 0;
    REQUIRE(sinter_builder_cast(
                builder.get(), drawn(builder, "bernoulli", sinter_boolean, {p, p, seed, integer(builder, 0)}),
                sinter_int32, &counted) == sinter_ok);
    const auto function = finished(builder, {counted});
    const std::vector<float> each(200, 0.25f);
    elements<float> likely({200});
    likely.values = each;
    likely.tensor.data = likely.values.data();
    const std::vector<sinter_operand> operands{likely.operand()};
    sinter_arguments arguments = arguments_of(operands);
    const sinter_scalar number = sinter_of_integer(-1);
    arguments.scalars = &number;
    arguments.scalar_count = 1;
    const std::vector<std::int32_t> got = read<std::int32_t>(called(function, arguments).get());
    const sinter::array<float, 1> like({200});
    const sinter::array<std::int32_t, 1> wanted(
        sinter::astype<std::int32_t>(rng::bernoulli(like, 0.25f, ~std::uint64_t{0})));
    CHECK(got == wanted.to_vector());
  }

  TEST_CASE("what is no draw is refused, by name") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 2), one = integer(builder, 1);
    const sinter_value three[] = {x, one, one}, five[] = {x, x, one, one, one}, unseeded[] = {x, x, one};
    sinter_builder* const at = builder.get();
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_random(at, "gamma", sinter_float32, three, 3, &none), sinter_invalid_argument,
                "sinter_builder_random: there is no distribution 'gamma'");
    CHECK_FAILS(sinter_builder_random(at, nullptr, sinter_float32, three, 3, &none), sinter_invalid_argument,
                "the name of the distribution is a null pointer");
    CHECK_FAILS(sinter_builder_random(at, "uniform", sinter_int32, three, 3, &none), sinter_type_error,
                "this distribution has no elements of type int32");
    CHECK_FAILS(sinter_builder_random(at, "randint", sinter_int32, three, 3, &none), sinter_type_error,
                "operands are like, low, high, seed, sequence");
    CHECK_FAILS(sinter_builder_random(at, "randint", sinter_int32, five, 5, &none), sinter_type_error,
                "low is an integer");
    CHECK_FAILS(sinter_builder_random(at, "normal", sinter_float32, unseeded, 3, &none), sinter_type_error,
                "the seed is an integer");
    CHECK_FAILS(sinter_builder_random(at, "normal", sinter_float32, nullptr, 3, &none),
                sinter_invalid_argument, "the list of operands is a null pointer");
    CHECK(none == 0);
  }
}
