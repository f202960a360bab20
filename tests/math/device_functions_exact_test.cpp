// The CPU texts of codegen/math/device_functions with a single correct result: rounding, remainders,
// integers, conversions.

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/codegen/scalars/operations.hpp>

#include "../support/needs.hpp"
#include "device_functions_fixture.hpp"

using namespace device_functions_test;

#ifdef SINTER_CPU_COMPILER_LIBRARY

namespace {

template <class T, class... Arguments>
std::vector<T> evaluate(const std::string& name, const std::vector<Arguments>&... arguments) {
  return evaluate_in<group::exact, T>(name, arguments...);
}

template <class T>
bool same(T a, T b) {
  return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b) || (std::isnan(a) && std::isnan(b));
}

/// Quotients rounded down and towards zero, and what NumPy gives for infinities and zeros.
template <class T>
void check_quotients(const std::string& suffix, const std::vector<T>& x, const std::vector<T>& y) {
  const std::vector<T> quotient = evaluate<T>("floor_divide_" + suffix, x, y);
  const std::vector<T> whole = evaluate<T>("trunc_divide_" + suffix, x, y);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = x[i], b = y[i], ratio = a / b;
    if (!(std::fabs(ratio) < 1e6L) || !std::isfinite(b) || b == 0) continue;
    const long double floored =
        (a - std::fmod(a, b)) / b - (std::fmod(a, b) != 0 && (a < 0) != (b < 0) ? 1 : 0);
    wrong += quotient[i] != static_cast<T>(std::nearbyint(floored));
    wrong += whole[i] != static_cast<T>(std::nearbyint((a - std::fmod(a, b)) / b));
  }
  CHECK(wrong == 0);
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> a{1, -1, 0, infinity, 1, -1, T(-0.0), 5, -5},
      b{0, 0, 0, 1, infinity, infinity, 3, -2, 2};
  const std::vector<T> as_numpy{infinity, -infinity, NAN, NAN, 0, -1, T(-0.0), -3, -3};
  const std::vector<T> got = evaluate<T>("floor_divide_" + suffix, a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(same(got[i], as_numpy[i]));
  }
}

template <class T>
void check_ldexp(const std::string& suffix, const std::vector<T>& x) {
  std::vector<T> exponents(x.size());
  std::mt19937 random(8);
  for (T& n : exponents) n = static_cast<T>(static_cast<int>(random()) >> (random() % 31));
  const std::vector<T> scaled = evaluate<T>("ldexp_" + suffix, x, exponents);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    wrong += !same(scaled[i], sinter::reference_ldexp(x[i], exponents[i]));
  CHECK(wrong == 0);
}

/// The exact definition of the functions whose result is one of finitely many candidates.
template <class T>
void check_exact(const std::string& suffix) {
  const std::vector<T> x = samples<T>(20000, 21), y = samples<T>(20000, 22);
  const auto one = [&](const char* operation, auto exact) {
    CAPTURE(operation);
    const std::vector<T> got = evaluate<T>(operation + suffix, x);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(got[i], exact(x[i]));
    CHECK(wrong == 0);
  };
  const auto two = [&](const char* operation, auto exact) {
    CAPTURE(operation);
    const std::vector<T> got = evaluate<T>(operation + suffix, x, y);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(got[i], exact(x[i], y[i]));
    CHECK(wrong == 0);
  };
  one("frexp_mantissa_", [](T a) { return sinter::reference_frexp_mantissa(a); });
  one("modf_fraction_", [](T a) { return sinter::reference_modf_fraction(a); });
  one("rint_", [](T a) { return std::nearbyint(a); });
  one("round_", [](T a) { return std::nearbyint(a); });
  one("floor_", [](T a) { return std::floor(a); });
  one("ceil_", [](T a) { return std::ceil(a); });
  one("trunc_", [](T a) { return std::trunc(a); });
  one("absolute_", [](T a) { return std::fabs(a); });
  one("sign_", [](T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a; });
  two("copysign_", [](T a, T b) { return std::copysign(a, b); });
  two("nextafter_", [](T a, T b) { return std::nextafter(a, b); });
  two("heaviside_", [](T a, T b) { return std::isnan(a) ? a : a < 0 ? T(0) : a > 0 ? T(1) : b; });
  two("fmod_", [](T a, T b) { return std::fmod(a, b); });
  two("remainder_", [](T a, T b) {
    const T r = std::fmod(a, b);
    return r == 0 ? std::copysign(T(0), b) : (r < 0) != (b < 0) ? r + b : r;
  });
  // Zeros are ordered; NaN wins or loses.
  const auto below = [](T a, T b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
  two("minimum_", [&](T a, T b) { return std::isnan(a) || std::isnan(b) ? a + b : below(b, a) ? b : a; });
  two("maximum_", [&](T a, T b) { return std::isnan(a) || std::isnan(b) ? a + b : below(a, b) ? b : a; });
  two("fmin_", [&](T a, T b) { return std::isnan(a) ? b : std::isnan(b) ? a : below(b, a) ? b : a; });
  two("fmax_", [&](T a, T b) { return std::isnan(a) ? b : std::isnan(b) ? a : below(a, b) ? b : a; });
  check_quotients(suffix, x, y);
  check_ldexp(suffix, x);
}

using wide = __int128;

wide magnitude(wide a) { return a < 0 ? -a : a; }

/// All pairs of narrow integers; of wider ones pairs of special values, and random ones.
template <class T>
std::pair<std::vector<T>, std::vector<T>> integer_pairs() {
  using limits = std::numeric_limits<T>;
  constexpr int width = 8 * sizeof(T);
  std::vector<T> x, y;
  if constexpr (width == 8) {
    for (int a = limits::min(); a <= limits::max(); ++a) {
      for (int b = limits::min(); b <= limits::max(); ++b)
        x.push_back(static_cast<T>(a)), y.push_back(static_cast<T>(b));
    }
  } else {
    const std::vector<T> special{0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 width - 1,
                                 width,
                                 limits::min(),
                                 static_cast<T>(limits::min() + 1),
                                 limits::max(),
                                 static_cast<T>(limits::max() - 1),
                                 static_cast<T>(-1),
                                 static_cast<T>(-2)};
    for (const T a : special) {
      for (const T b : special) x.push_back(a), y.push_back(b);
    }
    std::mt19937_64 random(width);
    for (int i = 0; i < 10000; ++i) {
      x.push_back(static_cast<T>(static_cast<T>(random()) >> (random() % width)));
      y.push_back(static_cast<T>(static_cast<T>(random()) >> (random() % width)));
    }
  }
  return {x, y};
}

template <class T>
void check_integers_alone(const std::string& suffix, const std::vector<T>& x) {
  const auto one = [&]<class R>(R, const char* operation, auto exact) {
    CAPTURE(operation);
    CAPTURE(suffix);
    const std::vector<R> got = evaluate<R>(operation + suffix, x);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += got[i] != static_cast<R>(exact(wide{x[i]}));
    CHECK(wrong == 0);
  };
  one(T{}, "absolute_", magnitude);
  one(T{}, "negative_", [](wide a) { return -a; });
  one(T{}, "sign_", [](wide a) { return (a > 0) - (a < 0); });
  one(T{}, "square_", [](wide a) { return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(a); });
  one(T{}, "bitwise_not_", [](wide a) { return ~a; });
  one(T{}, "reciprocal_", [](wide a) { return a == 1 || a == -1 ? a : 0; });
  one(std::uint8_t{}, "bit_count_",
      [&](wide a) { return std::popcount(static_cast<std::uint64_t>(magnitude(a))); });
}

template <class T>
void check_integers(const std::string& suffix) {
  constexpr int width = 8 * sizeof(T);
  const auto [x, y] = integer_pairs<T>();
  const auto two = [&](const char* operation, auto exact) {
    CAPTURE(operation);
    CAPTURE(suffix);
    const std::vector<T> got = evaluate<T>(operation + suffix, x, y);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      wrong += got[i] != static_cast<T>(exact(wide{x[i]}, wide{y[i]}));
    CHECK(wrong == 0);
  };
  const auto floored = [](wide a, wide b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  const auto divisor = [&](wide a, wide b) {
    a = magnitude(a), b = magnitude(b);
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  };
  two("floor_divide_", floored);
  two("remainder_", [&](wide a, wide b) { return b == 0 ? 0 : a - floored(a, b) * b; });
  two("trunc_divide_", [](wide a, wide b) { return b == 0 ? 0 : a / b; });
  two("fmod_", [](wide a, wide b) { return b == 0 ? 0 : a % b; });
  two("left_shift_", [](wide a, wide b) { return b < 0 || b >= width ? 0 : a << b; });
  two("right_shift_", [](wide a, wide b) { return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> b; });
  two("gcd_", divisor);
  two("lcm_", [&](wide a, wide b) {
    // wraps like the product of wrapped magnitudes
    using bits = std::make_unsigned_t<T>;
    const wide g = divisor(a, b);
    return g == 0 ? wide{0}
                  : wide{static_cast<bits>(static_cast<std::uint64_t>(magnitude(a) / g) *
                                           static_cast<std::uint64_t>(magnitude(b)))};
  });
  two("minimum_", [](wide a, wide b) { return std::min(a, b); });
  two("maximum_", [](wide a, wide b) { return std::max(a, b); });
  two("power_", [](wide a, wide b) {
    if (b < 0) return a == 1 ? wide{1} : a == -1 ? (b % 2 != 0 ? wide{-1} : wide{1}) : wide{0};
    std::uint64_t result = 1, base = static_cast<std::uint64_t>(a);
    for (wide rest = b; rest != 0; rest /= 2, base *= base) result *= rest % 2 != 0 ? base : 1;
    return wide{result};
  });
  check_integers_alone(suffix, x);
}

template <class From, class To>
void check_cast(const std::string& name) {
  CAPTURE(name);
  std::vector<From> x = samples<From>(20000, 31);
  for (const To edge : {std::numeric_limits<To>::min(), std::numeric_limits<To>::max()}) {
    for (int quarter = -8; quarter <= 8; ++quarter)
      x.push_back(static_cast<From>(edge) + static_cast<From>(quarter) / 4);
    x.push_back(std::nextafter(static_cast<From>(edge), From(0)));
    x.push_back(std::nextafter(static_cast<From>(edge), static_cast<From>(edge) * 2));
  }
  const std::vector<To> got = evaluate<To>(name, x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double whole = std::trunc(static_cast<long double>(x[i]));
    const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    const To exact = std::isnan(whole) ? To(0)
                     : whole <= low    ? std::numeric_limits<To>::min()
                     : whole >= high   ? std::numeric_limits<To>::max()
                                       : static_cast<To>(whole);
    wrong += got[i] != exact;
  }
  CHECK(wrong == 0);
}

template <class From>
void check_casts(const std::string& from) {
  check_cast<From, std::int8_t>("cast_" + from + "_i8");
  check_cast<From, std::int16_t>("cast_" + from + "_i16");
  check_cast<From, std::int32_t>("cast_" + from + "_i32");
  check_cast<From, std::int64_t>("cast_" + from + "_i64");
  check_cast<From, std::uint8_t>("cast_" + from + "_u8");
  check_cast<From, std::uint16_t>("cast_" + from + "_u16");
  check_cast<From, std::uint32_t>("cast_" + from + "_u32");
  check_cast<From, std::uint64_t>("cast_" + from + "_u64");
  const std::vector<std::uint8_t> truth =
      evaluate<std::uint8_t>("cast_" + from + "_b8", std::vector<From>{0, From(-0.0), 2, NAN});
  CHECK(truth == std::vector<std::uint8_t>{0, 0, 1, 1});
}

/// A half type's value by definition: `bits` of mantissa below the leading one, exponents from `least` on.
double half_value(std::uint16_t bits, int mantissa, int least) {
  const int fraction = bits & ((1 << mantissa) - 1), exponent = (bits & 0x7fff) >> mantissa;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == (0x7fff >> mantissa)) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, least - mantissa)
                               : std::ldexp((1 << mantissa) + fraction, least - mantissa + exponent - 1));
}

void check_half(const std::string& type, int mantissa, int least) {
  CAPTURE(type);
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const std::vector<float> loaded = evaluate<float>("load_" + type, all);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double exact = half_value(all[i], mantissa, least);
    wrong += std::isnan(exact) ? !std::isnan(loaded[i])
                               : loaded[i] != exact || std::signbit(loaded[i]) != std::signbit(exact);
  }
  CHECK(wrong == 0);

  // Each value, the middle of each gap, and the doubles on both sides of the middle; the last gap ends at
  // infinity.
  const auto infinity = static_cast<std::uint16_t>(0x7fff >> mantissa << mantissa);
  std::vector<double> x;
  std::vector<std::uint16_t> exact;
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    const double here = half_value(bits, mantissa, least);
    const double next = bits + 1 == infinity
                            ? 2 * here - half_value(static_cast<std::uint16_t>(bits - 1), mantissa, least)
                            : half_value(static_cast<std::uint16_t>(bits + 1), mantissa, least);
    const double middle = here + (next - here) / 2;
    for (const std::uint16_t sign : {std::uint16_t{0}, std::uint16_t{0x8000}}) {
      const double factor = sign != 0 ? -1.0 : 1.0;
      const auto add = [&](double value, int result) {
        x.push_back(factor * value);
        exact.push_back(static_cast<std::uint16_t>(result | sign));
      };
      add(here, bits);
      add(middle, bits % 2 == 0 ? bits : bits + 1);
      add(std::nextafter(middle, 0.0), bits);
      add(std::nextafter(middle, INFINITY), bits + 1);
      add(static_cast<double>(std::nextafter(static_cast<float>(middle), 0.0f)), bits);
      add(static_cast<double>(std::nextafter(static_cast<float>(middle), INFINITY)), bits + 1);
    }
  }
  for (const double huge : {1e39, 1e300, static_cast<double>(INFINITY)})
    x.push_back(huge), exact.push_back(infinity);
  for (const double tiny : {1e-60, 5e-324}) x.push_back(tiny), exact.push_back(0);
  CHECK(evaluate<std::uint16_t>("store_" + type + "_f64", x) == exact);
  std::vector<float> narrow;
  std::vector<std::uint16_t> narrow_exact;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (static_cast<float>(x[i]) == x[i])
      narrow.push_back(static_cast<float>(x[i])), narrow_exact.push_back(exact[i]);
  }
  CHECK(narrow.size() > x.size() / 2);
  CHECK(evaluate<std::uint16_t>("store_" + type, narrow) == narrow_exact);
  const std::uint16_t from_nan = evaluate<std::uint16_t>("store_" + type, std::vector<float>{NAN})[0];
  CHECK(std::isnan(half_value(from_nan, mantissa, least)));
  const std::uint16_t from_wide_nan =
      evaluate<std::uint16_t>("store_" + type + "_f64", std::vector<double>{NAN})[0];
  CHECK(std::isnan(half_value(from_wide_nan, mantissa, least)));
}

/// Integers to bfloat16, rounded once.
template <class T>
void check_whole_to_bfloat16(const std::string& suffix) {
  CAPTURE(suffix);
  std::vector<T> x{0, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  for (int exponent = 9; exponent < std::numeric_limits<T>::digits; ++exponent) {
    for (const int odd : {257, 263, 385, 511}) {  // nine bits: halfway
      const T middle = static_cast<T>(static_cast<std::uint64_t>(odd) << (exponent - 9));
      for (int step = -1; step <= 1; ++step) {
        x.push_back(static_cast<T>(middle + static_cast<T>(step)));
        if (std::is_signed_v<T>) x.push_back(static_cast<T>(-middle - static_cast<T>(step)));
      }
    }
  }
  const std::vector<std::uint16_t> got = evaluate<std::uint16_t>("store_bf16_" + suffix, x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // long double holds every 64-bit integer; eight bits of it, rounded to even
    int exponent = 0;
    const long double fraction = std::frexp(static_cast<long double>(x[i]), &exponent);
    const long double rounded = std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
    wrong += half_value(got[i], 7, -126) != static_cast<double>(rounded);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("device functions: exact ones give the same bits in lanes, scalars and fast paths") {
  check_lanes<group::exact>();
  check_fast_paths<group::exact>();
}

TEST_CASE("device functions: functions of the CPU with exact results") {
  check_exact<float>("f32");
  check_exact<double>("f64");
}

TEST_CASE("device functions: integers on the CPU") {
  check_integers<std::int8_t>("i8");
  check_integers<std::int16_t>("i16");
  check_integers<std::int32_t>("i32");
  check_integers<std::int64_t>("i64");
  check_integers<std::uint8_t>("u8");
  check_integers<std::uint16_t>("u16");
  check_integers<std::uint32_t>("u32");
  check_integers<std::uint64_t>("u64");
}

TEST_CASE("device functions: conversions on the CPU") {
  check_casts<float>("f32");
  check_casts<double>("f64");
  check_half("f16", 10, -14);
  check_half("bf16", 7, -126);
  check_whole_to_bfloat16<std::int32_t>("i32");
  check_whole_to_bfloat16<std::int64_t>("i64");
  check_whole_to_bfloat16<std::uint32_t>("u32");
  check_whole_to_bfloat16<std::uint64_t>("u64");
}

#else

TEST_CASE("device functions: functions of the CPU with exact results") {
  sinter::test::lacks(sinter::test::need::cpu_compiler, "built without it");
}

#endif  // SINTER_CPU_COMPILER_LIBRARY
