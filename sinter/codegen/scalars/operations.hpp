#pragma once
// The meaning of every operation on one element: the functions that the `reference` column of operations.def
// uses. They are simple instead of fast, and share nothing with emitted text.
//
// T is bool, an integer type, or the floating type in which the reference computes (reference_precision in
// scalar_operations.hpp).

#include <sinter/codegen/types/scalar.hpp>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <type_traits>

namespace sinter::inline v0 {

inline constexpr long double reference_pi = std::numbers::pi_v<long double>;

namespace detail {
/// Two's complement in 64 bits: arithmetic on it wraps, and truncating to T gives the result of wrapping in
/// T.
template <std::integral T>
constexpr std::uint64_t wide(T a) {
  return static_cast<std::uint64_t>(a);
}
template <typename T>
constexpr bool below_zero(T a) {
  if constexpr (std::is_signed_v<T>)
    return a < 0;
  else
    return false;
}
template <std::integral T>
constexpr std::uint64_t magnitude(T a) {
  return below_zero(a) ? 0 - wide(a) : wide(a);
}
template <std::integral T>
constexpr bool opposite(T a, T b) {
  return below_zero(a) != below_zero(b);
}
template <std::integral T>
constexpr bool is_minus_one(T a) {
  return std::is_signed_v<T> && a == static_cast<T>(-1);
}
}  // namespace detail

// ---- arithmetic: integers wrap; division by zero gives 0; the least integer divided by -1 wraps ----

template <typename T>
T reference_add(T a, T b) {
  if constexpr (std::same_as<T, bool>)
    return a || b;
  else if constexpr (std::integral<T>)
    return static_cast<T>(detail::wide(a) + detail::wide(b));
  else
    return a + b;
}
template <typename T>
T reference_subtract(T a, T b) {
  if constexpr (std::integral<T>)
    return static_cast<T>(detail::wide(a) - detail::wide(b));
  else
    return a - b;
}
template <typename T>
T reference_multiply(T a, T b) {
  if constexpr (std::same_as<T, bool>)
    return a && b;
  else if constexpr (std::integral<T>)
    return static_cast<T>(detail::wide(a) * detail::wide(b));
  else
    return a * b;
}
template <typename T>
T reference_negative(T a) {
  if constexpr (std::integral<T>)
    return static_cast<T>(0 - detail::wide(a));
  else
    return -a;
}

template <std::integral T>
T reference_trunc_divide(T a, T b) {
  if (b == 0) return 0;
  return detail::is_minus_one(b) ? reference_negative(a) : static_cast<T>(a / b);
}
template <std::floating_point T>
T reference_trunc_divide(T a, T b) {
  if (b == 0) return a / b;
  const T quotient = std::nearbyint((a - std::fmod(a, b)) / b);  // an integer, except for its rounding
  return quotient == 0 ? std::copysign(T{0}, a / b) : quotient;
}

template <std::integral T>
T reference_fmod(T a, T b) {
  return b == 0 || detail::is_minus_one(b) ? T{0} : static_cast<T>(a % b);
}
template <std::floating_point T>
T reference_fmod(T a, T b) {
  return std::fmod(a, b);
}

template <std::integral T>
T reference_floor_divide(T a, T b) {
  const T quotient = reference_trunc_divide(a, b);
  const bool down = b != 0 && reference_fmod(a, b) != 0 && detail::opposite(a, b);
  return static_cast<T>(quotient - (down ? 1 : 0));
}
/// As in NumPy: consistent with the remainder; a zero has the sign of the quotient.
template <std::floating_point T>
T reference_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T left = std::fmod(a, b);
  T quotient = (a - left) / b;
  if (left != 0 && (b < 0) != (left < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  const T lower = std::floor(quotient);
  return quotient - lower > T{0.5} ? lower + 1 : lower;
}

template <std::integral T>
T reference_remainder(T a, T b) {
  const T left = reference_fmod(a, b);
  return left != 0 && detail::opposite(a, b) ? static_cast<T>(left + b) : left;
}
template <std::floating_point T>
T reference_remainder(T a, T b) {
  const T left = std::fmod(a, b);
  if (left == 0) return std::copysign(left, b);
  return (b < 0) != (left < 0) ? left + b : left;  // also if left is NaN
}

template <std::integral T>
T reference_power(T a, T b) {
  if (detail::below_zero(b)) {
    if (a == 1) return 1;
    if (detail::is_minus_one(a)) return static_cast<T>(b % 2 == 0 ? 1 : -1);
    return 0;
  }
  std::uint64_t result = 1, base = detail::wide(a);
  for (std::uint64_t left = detail::wide(b); left != 0; left >>= 1, base *= base)
    if (left & 1) result *= base;
  return static_cast<T>(result);
}
template <std::floating_point T>
T reference_power(T a, T b) {
  // glibc's powl gives infinity for -inf to the power -2^63
  return std::isinf(a) && b < 0 ? 1 / std::pow(a, -b) : std::pow(a, b);
}

template <std::integral T>
T reference_reciprocal(T a) {
  return reference_trunc_divide(T{1}, a);
}
template <std::floating_point T>
T reference_reciprocal(T a) {
  return 1 / a;
}

template <std::integral T>
T reference_absolute(T a) {
  return static_cast<T>(detail::magnitude(a));
}
template <std::floating_point T>
T reference_absolute(T a) {
  return std::fabs(a);
}

template <typename T>
T reference_sign(T a) {
  if (a > 0) return T{1};
  if (detail::below_zero(a)) return static_cast<T>(-1);
  return a == 0 ? T{0} : a;  // NaN stays; -0 becomes 0, as in NumPy
}
template <std::floating_point T>
T reference_heaviside(T a, T b) {
  if (std::isnan(a)) return a;
  if (a == 0) return b;
  return a < 0 ? T{0} : T{1};
}

template <std::integral T>
T reference_gcd(T a, T b) {
  return static_cast<T>(std::gcd(detail::magnitude(a), detail::magnitude(b)));
}
template <std::integral T>
T reference_lcm(T a, T b) {
  const std::uint64_t common = std::gcd(detail::magnitude(a), detail::magnitude(b));
  return common == 0 ? T{0} : static_cast<T>(detail::magnitude(a) / common * detail::magnitude(b));
}

// ---- extremes: -0 is less than 0, so that the result does not depend on the order of the operands ----

template <typename T>
bool reference_isnan(T a) {
  if constexpr (std::floating_point<T>)
    return std::isnan(a);
  else
    return false;
}
template <typename T>
bool reference_signbit(T a) {
  if constexpr (std::floating_point<T>)
    return std::signbit(a);
  else
    return detail::below_zero(a);
}
template <typename T>
T reference_fmin(T a, T b) {
  if (reference_isnan(a)) return b;
  if (reference_isnan(b)) return a;
  if (a == b) return reference_signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T>
T reference_fmax(T a, T b) {
  if (reference_isnan(a)) return b;
  if (reference_isnan(b)) return a;
  if (a == b) return reference_signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T>
T reference_minimum(T a, T b) {
  if (reference_isnan(a)) return a;
  return reference_isnan(b) ? b : reference_fmin(a, b);
}
template <typename T>
T reference_maximum(T a, T b) {
  if (reference_isnan(a)) return a;
  return reference_isnan(b) ? b : reference_fmax(a, b);
}

// ---- bits ----

template <std::integral T>
T reference_bitwise_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <std::integral T>
T reference_bitwise_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <std::integral T>
T reference_bitwise_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <std::integral T>
T reference_bitwise_not(T a) {
  if constexpr (std::same_as<T, bool>)
    return !a;
  else
    return static_cast<T>(~detail::wide(a));
}
/// A negative count acts as the width or more, as in NumPy.
template <std::integral T>
T reference_left_shift(T a, T b) {
  return detail::below_zero(b) || detail::wide(b) >= 8 * sizeof(T) ? T{0}
                                                                   : static_cast<T>(detail::wide(a) << b);
}
template <std::integral T>
T reference_right_shift(T a, T b) {
  if (detail::below_zero(b) || detail::wide(b) >= 8 * sizeof(T))
    return static_cast<T>(detail::below_zero(a) ? -1 : 0);
  return static_cast<T>(a >> b);
}
template <std::integral T>
std::uint8_t reference_bit_count(T a) {
  return static_cast<std::uint8_t>(std::popcount(detail::magnitude(a)));
}

// ---- floating point ----

template <typename T>
bool reference_isfinite(T a) {
  if constexpr (std::floating_point<T>)
    return std::isfinite(a);
  else
    return true;
}
template <typename T>
bool reference_isinf(T a) {
  if constexpr (std::floating_point<T>)
    return std::isinf(a);
  else
    return false;
}
template <typename T>
T reference_round(T a) {
  if constexpr (std::floating_point<T>)
    return std::nearbyint(a);
  else
    return a;
}
template <typename T>
T reference_floor(T a) {
  if constexpr (std::floating_point<T>)
    return std::floor(a);
  else
    return a;
}
template <typename T>
T reference_ceil(T a) {
  if constexpr (std::floating_point<T>)
    return std::ceil(a);
  else
    return a;
}
template <typename T>
T reference_trunc(T a) {
  if constexpr (std::floating_point<T>)
    return std::trunc(a);
  else
    return a;
}
/// The neighbour among the elements of `type`; T may have higher precision.
template <std::floating_point T>
T reference_nextafter(element_type type, T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return b;
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(type) - 1);
  const std::uint64_t bits = real_bits(type, a);
  if (a == 0) return static_cast<T>(real_of(type, b < 0 ? sign | 1 : 1));
  const bool outward = (b > a) == (a > 0);
  return static_cast<T>(real_of(type, outward ? bits + 1 : bits - 1));
}

// ---- exponentials ----

template <std::floating_point T>
T reference_exp2(T a) {
  return std::exp2(a);
}
template <std::floating_point T>
T reference_expm1(T a) {
  return std::expm1(a);
}
template <std::floating_point T>
T reference_log2(T a) {
  return std::log2(a);
}
template <std::floating_point T>
T reference_log1p(T a) {
  return std::log1p(a);
}

template <std::floating_point T>
T reference_logaddexp(T a, T b) {
  if (a == b) return a + std::numbers::ln2_v<T>;  // also if both are the same infinity
  return std::isnan(a - b) ? a - b : std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}
template <std::floating_point T>
T reference_logaddexp2(T a, T b) {
  if (a == b) return a + 1;
  return std::isnan(a - b)
             ? a - b
             : std::fmax(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) / std::numbers::ln2_v<T>;
}
template <std::floating_point T>
T reference_expit(T a) {
  return 1 / (1 + std::exp(-a));
}

/// Newton's method on erf, or on erfc where that has more digits. It starts below the root, where erf is
/// concave, so it converges from below.
template <std::floating_point T>
T reference_erfinv(T a) {
  const long double x = std::fabs(a);
  if (!(x <= 1)) return std::numeric_limits<T>::quiet_NaN();
  if (x == 1) return std::copysign(std::numeric_limits<T>::infinity(), a);
  const long double slope = 2 * std::numbers::inv_sqrtpi_v<long double>;
  long double y = x / slope;
  for (int i = 0; i < 200; ++i) {
    const long double missing = x < 0.5L ? x - std::erf(y) : std::erfc(y) - (1 - x);
    const long double step = missing / (slope * std::exp(-y * y));
    if (!(step > 0)) break;
    y += step;
  }
  return static_cast<T>(std::copysign(y, static_cast<long double>(a)));
}

// ---- two results of one operation ----

template <std::floating_point T>
T reference_ldexp(T a, T n) {
  if (std::isnan(n)) return n;
  return std::ldexp(a, static_cast<int>(n < -40000 ? T{-40000} : n > 40000 ? T{40000} : n));
}
template <std::floating_point T>
T reference_frexp_mantissa(T a) {
  int exponent = 0;
  return std::frexp(a, &exponent);
}
template <std::floating_point T>
std::int32_t reference_frexp_exponent(T a) {
  int exponent = 0;
  if (!std::isfinite(a)) return 0;  // the C library may give any number
  static_cast<void>(std::frexp(a, &exponent));
  return exponent;
}
template <std::floating_point T>
T reference_modf_fraction(T a) {
  T whole = 0;
  return std::modf(a, &whole);
}

// ---- keys ----

namespace detail {
/// Exchanges the bits of a number and its key.
template <std::signed_integral T>
constexpr T exchange_key(T bits) {
  return bits < 0 ? static_cast<T>(bits ^ std::numeric_limits<T>::max()) : bits;
}
template <std::floating_point T>
auto order_key_of(T a) {
  using integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  return exchange_key(std::bit_cast<integer>(std::isnan(a) ? std::numeric_limits<T>::quiet_NaN() : a));
}
}  // namespace detail

template <std::floating_point T>
std::int64_t reference_order_key(element_type type, T a) {
  if (type == element_type::float32) return detail::order_key_of(static_cast<float>(a));
  return detail::order_key_of(static_cast<double>(a));
}
template <std::signed_integral T>
auto reference_of_order_key(T key) {
  using number = std::conditional_t<sizeof(T) == 4, float, double>;
  return std::bit_cast<number>(detail::exchange_key(key));
}

// ---- special functions ----

template <std::floating_point T>
T reference_logit(T a) {
  return std::fabs(a - T{0.5}) < T{0.25} ? std::log1p((2 * a - 1) / (1 - a)) : std::log(a / (1 - a));
}
template <std::floating_point T>
T reference_ndtr(T a) {
  return static_cast<T>(std::erfc(-static_cast<long double>(a) * (std::numbers::sqrt2_v<long double> / 2)) /
                        2);
}
template <std::floating_point T>
T reference_tgamma(T a) {
  return std::tgamma(a);
}
template <std::floating_point T>
T reference_gammaln(T a) {
  return std::lgamma(a);
}
/// The angle is rounded to the type in which `type` is computed; T may have higher precision.
template <std::floating_point T>
T reference_sinc(element_type type, T a) {
  const long double angle = type == element_type::float64
                                ? static_cast<double>(a) * std::numbers::pi_v<double>
                                : static_cast<double>(static_cast<float>(a) * std::numbers::pi_v<float>);
  return static_cast<T>(angle == 0 ? 1 : std::sin(angle) / angle);
}
template <std::floating_point T>
T reference_xlogy(T a, T b) {
  return a == 0 && !std::isnan(b) ? T{0} : a * std::log(b);
}
template <std::floating_point T>
T reference_entr(T a) {
  if (a < 0) return -std::numeric_limits<T>::infinity();
  return a == 0 ? T{0} : -a * std::log(a);
}
template <std::floating_point T>
T reference_huber(T delta, T a) {
  if (delta < 0) return std::numeric_limits<T>::infinity();
  return std::fabs(a) <= delta ? a / 2 * a : delta * (std::fabs(a) - delta / 2);
}
template <std::floating_point T>
T reference_softplus(T a) {
  return (a > 0 ? a : T{0}) + std::log1p(std::exp(-std::fabs(a)));
}
template <std::floating_point T>
T reference_silu(T a) {
  if (std::isinf(a)) return a > 0 ? a : -T{0};
  return a < 0 ? a * std::exp(a) / (1 + std::exp(a)) : a / (1 + std::exp(-a));
}
template <std::floating_point T>
T reference_gelu(T a) {
  if (std::isinf(a)) return a > 0 ? a : -T{0};
  const long double half =
      std::erfc(-static_cast<long double>(a) * (std::numbers::sqrt2_v<long double> / 2)) / 2;
  return static_cast<T>(a * half);
}

}  // namespace sinter::inline v0
