// Functions that are composed of several operations: NumPy's results, for values, arrays and expressions.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float missing = std::numeric_limits<float>::quiet_NaN();

template <class T>
array<T, 1> row(const std::vector<T>& elements) {
  return array<T, 1>::from(elements, {static_cast<std::int64_t>(elements.size())});
}

/// Equal, with zeros of one sign and NaN where NaN is expected.
template <class T>
void check_same(const std::vector<T>& made, const std::vector<T>& expected) {
  REQUIRE(made.size() == expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    CAPTURE(i);
    CAPTURE(made[i]);
    CAPTURE(expected[i]);
    if constexpr (std::is_floating_point_v<T>)
      CHECK((std::isnan(expected[i])
                 ? std::isnan(made[i])
                 : made[i] == expected[i] && std::signbit(made[i]) == std::signbit(expected[i])));
    else
      CHECK(made[i] == expected[i]);
  }
}

/// One function on arrays in all modes, and as an expression.
template <class T, class Function, class... Arrays>
void check(const Function& function, const std::vector<T>& expected, const Arrays&... arrays) {
  const auto fused = fuse(function);
  check_same(fused(arrays...).to_vector(), expected);
  check_same(fused.strict()(arrays...).to_vector(), expected);
  check_same(fused.fast()(arrays...).to_vector(), expected);
  check_same(evaluate(function(arrays...)).to_vector(), expected);
}

}  // namespace

TEST_SUITE("composed functions") {
  TEST_CASE("divmod gives the quotient that is rounded down, and what is left of it") {
    const auto a = row<float>({7, -7, 7, -7, 5.5f, infinite, missing});
    const auto b = row<float>({2, 2, -2, -2, infinite, 2, 2});
    const auto both = fuse([](auto x, auto y) {
      auto [quotient, rest] = divmod(x, y);
      return std::tuple(quotient, rest);
    });
    const auto [quotients, rests] = both(a, b);
    check_same(quotients.to_vector(), {3, -4, -4, 3, 0, missing, missing});
    check_same(rests.to_vector(), {1, 1, -1, -1, 5.5f, missing, missing});
    const auto [lazy_quotient, lazy_rest] = divmod(a, b);
    check_same(evaluate(lazy_quotient).to_vector(), quotients.to_vector());
    check_same(evaluate(lazy_rest).to_vector(), rests.to_vector());
  }

  TEST_CASE("divmod of integers is exact, and promotes as NumPy does") {
    const auto [quotients, rests] = fuse([](auto x, auto y) { return divmod(x, y); })(
        row<std::int32_t>({7, -7, 7, std::numeric_limits<std::int32_t>::min()}),
        row<std::int16_t>({2, 2, 0, -1}));
    static_assert(std::is_same_v<decltype(quotients), const array<std::int32_t, 1>>);
    check_same(quotients.to_vector(), {3, -4, 0, std::numeric_limits<std::int32_t>::min()});
    check_same(rests.to_vector(), {1, 1, 0, 0});
    const auto [by_number, left] = divmod(row<std::int32_t>({7, -7}), 4);
    check_same(evaluate(by_number).to_vector(), {1, -2});
    check_same(evaluate(left).to_vector(), {3, 1});
  }

  TEST_CASE("modf gives fraction and whole part with the sign of the number") {
    const auto x = row<float>({1.5f, -1.5f, 0.f, -0.f, infinite, -infinite, missing, -3.f, 0x1p-149f});
    const auto [fraction, whole] = fuse([](auto v) { return modf(v); })(x);
    check_same(fraction.to_vector(), {0.5f, -0.5f, 0.f, -0.f, 0.f, -0.f, missing, -0.f, 0x1p-149f});
    check_same(whole.to_vector(), {1.f, -1.f, 0.f, -0.f, infinite, -infinite, missing, -3.f, 0.f});
    const auto [nothing, number] = modf(row<std::int32_t>({-3, 4}));
    check_same(evaluate(nothing).to_vector(), {-0.0, 0.0});
    check_same(evaluate(number).to_vector(), {-3.0, 4.0});
  }

  TEST_CASE("frexp gives a mantissa in [0.5, 1) and an exponent of int32, of denormals too") {
    const auto x = row<double>({8, -0.75, 0, -0.0, INFINITY, NAN, 0x1p-1074, -0x1.8p-1030});
    const auto [mantissa, exponent] = fuse([](auto v) { return frexp(v); })(x);
    static_assert(std::is_same_v<decltype(exponent), const array<std::int32_t, 1>>);
    check_same(mantissa.to_vector(), {0.5, -0.75, 0, -0.0, INFINITY, NAN, 0.5, -0.75});
    check_same(exponent.to_vector(), {4, 0, 0, 0, 0, 0, -1073, -1029});
  }

  TEST_CASE("ldexp undoes frexp, and a result that nothing uses leaves no trace") {
    const auto x = row<float>({8, -0.75f, 0, -0.f, infinite, 0x1p-149f, 3e38f});
    check(
        [](const auto& v) {
          const auto [mantissa, exponent] = frexp(v);
          return ldexp(mantissa, exponent);
        },
        x.to_vector(), x);
    std::ostringstream out;
    out << fuse([](auto v) { return std::get<0>(frexp(v)); }).source(x);
    CHECK(out.str().find("frexp_mantissa") != std::string::npos);
    CHECK(out.str().find("frexp_exponent") == std::string::npos);
  }

  TEST_CASE("ldexp keeps the type of what it scales, and takes exponents of any size") {
    const auto x = row<float16>({float16(1), float16(3), float16(1)});
    const array<float16, 1> made = ldexp(x, row<std::int32_t>({3, 2000000000, -24}));
    CHECK(static_cast<float>(made.to_vector()[0]) == 8);
    CHECK(static_cast<float>(made.to_vector()[1]) == infinite);
    CHECK(static_cast<float>(made.to_vector()[2]) == 0x1p-24f);
    check([](const auto& v) { return ldexp(v, 2); }, std::vector<double>{4, -8}, row<std::int64_t>({1, -2}));
  }

  TEST_CASE("float_power computes in double precision") {
    check([](const auto& v) { return float_power(v, 2); }, std::vector<double>{9, 1e10, 0x1p-298},
          row<float>({3, 1e5f, 0x1p-149f}));
    const array<std::complex<double>, 1> z =
        fuse([](auto v) { return float_power(v, 2); })(row<std::complex<float>>({{0, 1}}));
    CHECK(std::abs(z.to_vector()[0] + 1.0) < 1e-15);
  }

  TEST_CASE("round to decimals scales by a power of ten, of integers to tens and hundreds alone") {
    check([](const auto& v) { return round<2>(v); },
          std::vector<double>{1.23, -1.24, 0.0, -0.0, INFINITY, NAN, 2.5},
          row<double>({1.234, -1.2351, 0.004, -0.004, INFINITY, NAN, 2.5}));
    check([](const auto& v) { return round<-1>(v); }, std::vector<float>{20, 20, -20, 130},
          row<float>({15, 25, -21, 126}));
    check([](const auto& v) { return round<-1>(v); }, std::vector<std::int32_t>{20, 20, -20, 130},
          row<std::int32_t>({15, 25, -21, 126}));
    check([](const auto& v) { return round<3>(v); }, std::vector<std::int32_t>{15, -21},
          row<std::int32_t>({15, -21}));
  }

  TEST_CASE("clip takes one bound where the other is none") {
    const auto x = row<float>({-2, 0.5f, 9, missing});
    check([](const auto& v) { return clip(v, none, 1); }, std::vector<float>{-2, 0.5f, 1, missing}, x);
    check([](const auto& v) { return clip(v, 0, none); }, std::vector<float>{0, 0.5f, 9, missing}, x);
  }

  TEST_CASE("nan_to_num replaces what is not finite, by the limits of the type unless numbers are given") {
    const float most = std::numeric_limits<float>::max();
    const auto x = row<float>({missing, infinite, -infinite, -0.f, 2});
    check([](const auto& v) { return nan_to_num(v); }, std::vector<float>{0, most, -most, -0.f, 2}, x);
    check([](const auto& v) { return nan_to_num(v, 7, 8, -9); }, std::vector<float>{7, 8, -9, -0.f, 2}, x);
    check([](const auto& v) { return nan_to_num(v, 7, none, -9); }, std::vector<float>{7, most, -9, -0.f, 2},
          x);
    check([](const auto& v) { return nan_to_num(v); }, std::vector<std::int32_t>{-1, 5},
          row<std::int32_t>({-1, 5}));
    const auto half = fuse([](auto v) { return nan_to_num(v); })(row<float16>({float16(infinite)}));
    CHECK(static_cast<float>(half.to_vector()[0]) == 65504);
    const auto parts =
        fuse([](auto v) { return nan_to_num(v); })(row<std::complex<float>>({{missing, -infinite}, {1, 2}}));
    CHECK(parts.to_vector() == std::vector<std::complex<float>>{{0, -most}, {1, 2}});
  }

  TEST_CASE("products with logarithms are 0 where their factor is, and NaN where an operand is") {
    check([](const auto& x, const auto& y) { return xlogy(x, y); },
          std::vector<float>{0, 0, missing, -infinite, missing}, row<float>({0, -0.f, 0, 2, 2}),
          row<float>({0, -1, missing, 0, -1}));
    check([](const auto& x) { return entr(x); },
          std::vector<float>{0, 0, -infinite, -infinite, missing, -infinite, -0.f},
          row<float>({0, -0.f, -1, -infinite, missing, infinite, 1}));
  }

  TEST_CASE("sinc, logit and the gamma functions have SciPy's limits") {
    const auto edges = row<float>({0, -0.f, 1, infinite, -infinite, missing, -1});
    check([](const auto& x) { return logit(x); },
          std::vector<float>{-infinite, -infinite, infinite, missing, missing, missing, missing}, edges);
    check([](const auto& x) { return tgamma(x); },
          std::vector<float>{infinite, -infinite, 1, infinite, missing, missing, missing}, edges);
    check([](const auto& x) { return gammaln(x); },
          std::vector<float>{infinite, infinite, 0, infinite, infinite, missing, infinite}, edges);
    check([](const auto& x) { return sinc(x); }, std::vector<float>{1, 1, missing},
          row<float>({0, -0.f, infinite}));
    check([](const auto& x) { return ndtr(x); }, std::vector<float>{0.5f, 1, 0, missing},
          row<float>({0, infinite, -infinite, missing}));
  }

  TEST_CASE("activations neither overflow nor lose -0 at -inf") {
    const auto x = row<float>({0, -0.f, infinite, -infinite, missing, 1000, -1000});
    const std::vector<float> gated{0, -0.f, infinite, -0.f, missing, 1000, -0.f};
    check([](const auto& v) { return silu(v); }, gated, x);
    check([](const auto& v) { return gelu(v); }, gated, x);
    check([](const auto& v) { return softplus(v); }, std::vector<float>{infinite, 0, missing, 1000, 0},
          row<float>({infinite, -infinite, missing, 1000, -1000}));
    check([](const auto& v) { return huber(2, v); }, std::vector<float>{0, 2, 4, infinite, missing},
          row<float>({-0.f, -2, 3, -infinite, missing}));
    check([](const auto& v) { return huber(-1, v); }, std::vector<float>{infinite}, row<float>({1}));
  }

  TEST_CASE("gelu_tanh is the approximation that networks use") {
    const std::vector<double> numbers{-3, -1, -0.1, 0, 0.1, 1, 3};
    const std::vector<double> made = evaluate(gelu_tanh(row<double>(numbers))).to_vector();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double x = numbers[i];
      CHECK(made[i] ==
            doctest::Approx(0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))))
                .epsilon(1e-13));
    }
  }

  TEST_CASE("ptp is the distance of the extremes, along axes as well") {
    const auto x = array<int, 2>::from({1, 5, -2, 8, 8, 8}, {2, 3});
    check_same(fuse([](auto v) { return ptp(v, axis<1>); })(x).to_vector(), {7, 0});
    check_same(evaluate(ptp(x, axis<0>, keepdims)).to_vector(), {7, 3, 10});
    check_same(evaluate(ptp(x)).to_vector(), {10});
  }

  TEST_CASE("scans that ignore NaN count it as what changes nothing") {
    const auto x = row<float>({1, missing, 2, 3});
    check([](const auto& v) { return nancumsum(v); }, std::vector<float>{1, 1, 3, 6}, x);
    check([](const auto& v) { return nancumprod(v, axis<0>); }, std::vector<float>{1, 1, 2, 6}, x);
    check([](const auto& v) { return nancumsum<double>(v); }, std::vector<double>{1, 1, 3, 6}, x);
    check([](const auto& v) { return nancumsum(v); }, std::vector<std::int64_t>{1, 3},
          row<std::int32_t>({1, 2}));
  }

  TEST_CASE("average weighs elements, by weights of every element or of one axis") {
    const auto x = array<float, 2>::from({1, 2, 3, 4, 5, 6}, {2, 3});
    const auto weights = array<float, 2>::from({1, 1, 2, 0, 0, 4}, {2, 3});
    check_same(evaluate(average(x, weights)).to_vector(), {33.f / 8});
    check_same(fuse([](auto v, auto w) { return average(v, w, axis<1>); })(x, weights).to_vector(),
               {2.25f, 6.f});
    check_same(evaluate(average(x, row<float>({1, 3}), axis<0>)).to_vector(), {3.25f, 4.25f, 5.25f});
    check_same(evaluate(average(x, row<float>({1, 0, 1}), axis<-1>)).to_vector(), {2.f, 5.f});
    check_same(evaluate(average(row<int>({1, 2}), row<int>({1, 3}))).to_vector(), {1.75});
    const auto column = evaluate(average(x, weights, axis<1>, keepdims));
    CHECK(column.shape() == shape<2>{2, 1});
    check_same(column.to_vector(), {2.25f, 6.f});
  }

  TEST_CASE("weights that are broadcast count once for each element, and more weights than elements throw") {
    const auto x = array<float, 2>::from({1, 2, 3, 4, 5, 6}, {2, 3});
    const auto wide = array<float, 2>::from({1, 0, 1}, {1, 3}), tall = array<float, 2>::from({1, 3}, {2, 1});
    check_same(evaluate(average(x, wide)).to_vector(), {3.5f});
    check_same(evaluate(average(x, tall)).to_vector(), {4.25f});
    check_same(evaluate(average(x, tall, axis<0>)).to_vector(), {3.25f, 4.25f, 5.25f});
    CHECK_THROWS_AS(evaluate(average(wide, x)), shape_error);
  }

  TEST_CASE("an expression that is evaluated again takes its operands in their order") {
    for (const int by : {2, 3}) {
      const auto [quotient, rest] = divmod(row<int>({7, 9}), row<int>({by, by + 2}));
      check_same(evaluate(quotient).to_vector(), {7 / by, 9 / (by + 2)});
      check_same(evaluate(rest).to_vector(), {7 % by, 9 % (by + 2)});
    }
  }

  TEST_CASE("an expression may own temporaries, of both results") {
    const auto [quotient, rest] = divmod(row<int>({7, 9}) + 0, row<int>({2, 4}));
    check_same(evaluate(quotient).to_vector(), {3, 2});
    check_same(evaluate(rest).to_vector(), {1, 1});
  }
}
