// CPU text of power, roots and hypot.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // exp(y log|x|) with C99's special cases (F.10.4.4): 1 for x = 1 or y = 0 even if the other is NaN, 1 for
    // -1 to an infinite power, NaN for a negative finite x to a finite y that is not an integer, the sign of
    // x
    // for odd y.
    {"power_edges_$S", R"($T power_edges_$S($T x, $T y, $T magnitude) {
  const bool whole = __builtin_rint$F(y) == y;
  const $T half = y * ($T)0.5;
  const bool odd = whole && __builtin_rint$F(half) != half && __builtin_fabs$F(y) < __builtin_inf$F();
  const $T with_sign = odd ? __builtin_copysign$F(magnitude, x) : magnitude;
  const bool undefined = x < 0 && x > -__builtin_inf$F() && !whole;
  const bool one = x == 1 || y == 0 || (x == -1 && __builtin_fabs$F(y) == __builtin_inf$F());
  return one ? ($T)1 : (x != x || y != y) ? x + y : undefined ? __builtin_nan$F("") : with_sign;
})",
     "", "f32 f64"},
    {"power_f32", R"(float power_f32(float x, float y) {
  double exponent = y * log_wide_f32(__builtin_fabs((double)x));
  exponent = exponent < -200.0 ? -200.0 : exponent;
  exponent = exponent > 200.0 ? 200.0 : exponent;
  return power_edges_f32(x, y, (float)exp_wide_f32(exponent));
})",
     "log_wide_f32 exp_wide_f32 power_edges_f32"},
    // log|x| as high + low with a relative error of 2^-64: log((1 + s) / (1 - s)) = 2s + s (2z/3 + z^2 Q(z)),
    // z = s^2, s = f / (2 + f) and the first two terms as unevaluated sums. Q: 2^-66.27
    {"log_pair_f64", R"(void log_pair_f64(double x, double& high, double& low) {
  double k, f;
  log_split_f64(x, k, f);
  const double d = 2.0 + f;
  const double d_low = (2.0 - d) + f;
  const double inverse = 1.0 / d;
  const double s = f * inverse;
  const double s_low = __builtin_fma(-s, d_low, __builtin_fma(-s, d, f)) * inverse;
  const double z = s * s;
  const double z_low = __builtin_fma(s + s, s_low, __builtin_fma(s, s, -z));
  double p = 0x1.0e4602371651bp-3;
  p = __builtin_fma(p, z, 0x1.0f7f91f7b640ap-3);
  p = __builtin_fma(p, z, 0x1.3b1eef9957da3p-3);
  p = __builtin_fma(p, z, 0x1.745ce9d0df435p-3);
  p = __builtin_fma(p, z, 0x1.c71c722d9859cp-3);
  p = __builtin_fma(p, z, 0x1.2492492457b52p-2);
  p = __builtin_fma(p, z, 0x1.9999999999b31p-2);
  const double c = z * 0x1.5555555555555p-1;
  const double c_error = __builtin_fma(z, 0x1.5555555555555p-55, __builtin_fma(z, 0x1.5555555555555p-1, -c));
  const double c_low = __builtin_fma(z_low, 0x1.5555555555555p-1, c_error);
  const double tail = __builtin_fma(z * z, p, c_low);
  const double a = c + tail;
  const double a_low = (c - a) + tail;
  const double b = s * a;
  const double b_low = __builtin_fma(s_low, a, __builtin_fma(s, a_low, __builtin_fma(s, a, -b)));
  const double twice = s + s;
  const double sum = twice + b;
  const double sum_low = ((twice - sum) + b) + (b_low + (s_low + s_low));
  const double whole = k * 0x1.62e42fefa38p-1;
  high = whole + sum;
  const double rest = ((whole - high) + sum) + __builtin_fma(k, 0x1.ef35793c7673p-45, sum_low);
  const double total = high + rest;
  low = (high - total) + rest;
  high = total;
})",
     "log_split_f64"},
    {"power_f64", R"(double power_f64(double x, double y) {
  const double a = __builtin_fabs(x);
  double high, low;
  log_pair_f64(a, high, low);
  const bool ordinary = a > 0.0 && a < __builtin_inf();
  high = ordinary ? high : a == 0.0 ? -__builtin_inf() : a;
  const double product = y * high;
  const double product_low = __builtin_fma(y, low, __builtin_fma(y, high, -product));
  const bool moderate = __builtin_fabs(product) < 800.0;
  return power_edges_f64(x, y, exp_sum_f64(product, moderate ? product_low : 0.0, 0.0));
})",
     "log_pair_f64 exp_sum_f64 power_edges_f64"},

    {"sqrt_$S", "$T sqrt_$S($T x) { return __builtin_sqrt$F(x); }", "", "f32 f64"},
    // One step of Newton's method on the inverse of the square root, both rounded.
    {"rsqrt_f32", R"(float rsqrt_f32(float x) {
  const bool tiny = x < 0x1p-100f;
  const float scaled = tiny ? x * 0x1p48f : x;
  const float root = __builtin_sqrtf(scaled);
  const float y = 1.0f / root;
  const float residual = __builtin_fmaf(-root, root, scaled);
  const float error = __builtin_fmaf(-y, root, 1.0f);
  const float better = __builtin_fmaf(y, error - 0.5f * (residual * y) * y, y);
  return (x > 0.0f && x < __builtin_inff() ? better : y) * (tiny ? 0x1p24f : 1.0f);
})"},
    {"rsqrt_f64", R"(double rsqrt_f64(double x) {
  const bool tiny = x < 0x1p-900;
  const double scaled = tiny ? x * 0x1p200 : x;
  const double root = __builtin_sqrt(scaled);
  const double y = 1.0 / root;
  const double residual = __builtin_fma(-root, root, scaled);
  const double error = __builtin_fma(-y, root, 1.0);
  const double better = __builtin_fma(y, error - 0.5 * (residual * y) * y, y);
  return (x > 0.0 && x < __builtin_inf() ? better : y) * (tiny ? 0x1p100 : 1.0);
})"},
    {"cbrt_f32", R"(float cbrt_f32(float x) {
  const double a = __builtin_fabs((double)x);
  const bool ordinary = a > 0.0 && a < __builtin_inf();
  const double y = exp_wide_f32(log_wide_f32(ordinary ? a : 1.0) * (1.0 / 3.0));
  return ordinary ? __builtin_copysignf((float)y, x) : x;
})",
     "exp_wide_f32 log_wide_f32"},
    // x = 2^(3k) m with m in [1, 8). y ~ m^(-1/3) from a polynomial (2^-9.58), then twice
    // y += y e (1/3 + 2/9 e), e = 1 - m y^3, which cubes the error; the root is m y^2, corrected by its
    // remainder.
    {"cbrt_f64", R"(double cbrt_f64(double x) {
  const double a = __builtin_fabs(x);
  const bool tiny = a < 0x1p-1022;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? a * 0x1p54 : a);
  const double biased = __builtin_bit_cast(double, (bits >> 52) | 0x4330000000000000ull);
  const double exponent = biased - (0x1p52 + 1023.0);
  const double third = __builtin_floor(exponent * (1.0 / 3.0) + 0x1p-20);
  const double remaining = exponent - 3.0 * third;
  const double m = __builtin_bit_cast(double, (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull) *
                   (remaining == 0.0 ? 1.0 : remaining == 1.0 ? 2.0 : 4.0);
  double y = 0x1.1d39e311b0d9fp-15;
  y = __builtin_fma(y, m, -0x1.136f58d379c3bp-10);
  y = __builtin_fma(y, m, 0x1.b20c365403fa8p-7);
  y = __builtin_fma(y, m, -0x1.68a1ef3ec9210p-4);
  y = __builtin_fma(y, m, 0x1.570ef63d6685ep-2);
  y = __builtin_fma(y, m, -0x1.86a4d740392b2p-1);
  y = __builtin_fma(y, m, 0x1.80a1d7383adafp+0);
  double e = __builtin_fma(-m * y, y * y, 1.0);
  y = __builtin_fma(y * e, __builtin_fma(e, 2.0 / 9.0, 1.0 / 3.0), y);
  e = __builtin_fma(-m * y, y * y, 1.0);
  y = __builtin_fma(y * e, __builtin_fma(e, 2.0 / 9.0, 1.0 / 3.0), y);
  const double root = m * (y * y);
  const double square = root * root;
  const double square_low = __builtin_fma(root, root, -square);
  const double error = __builtin_fma(-root, square_low, __builtin_fma(-root, square, m));
  const double better = __builtin_fma(error * (1.0 / 3.0), y * y, root);
  const double scale = __builtin_bit_cast(
      double, __builtin_bit_cast(unsigned long long, third + (0x1p52 + 1023.0) - (tiny ? 18.0 : 0.0)) << 52);
  return a > 0.0 && a < __builtin_inf() ? __builtin_copysign(better * scale, x) : x;
})"},
    {"hypot_f32", R"(float hypot_f32(float x, float y) {
  const double a = x, b = y;
  const float r = (float)__builtin_sqrt(__builtin_fma(a, a, b * b));
  const bool infinite = __builtin_fabsf(x) == __builtin_inff() || __builtin_fabsf(y) == __builtin_inff();
  return infinite ? __builtin_inff() : r;
})"},
    // Scaled by a power of two that keeps the squares in range; corrected for the rounding of the squares and
    // the root.
    {"hypot_f64", R"(double hypot_f64(double x, double y) {
  const double p = __builtin_fabs(x), q = __builtin_fabs(y);
  const double larger = p > q ? p : q;
  const double up = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-450 ? 0x1p600 : 1.0;
  const double down = larger > 0x1p500 ? 0x1p600 : larger < 0x1p-450 ? 0x1p-600 : 1.0;
  const double a = larger * up, b = (p > q ? q : p) * up;
  const double aa = a * a, bb = b * b;
  const double sum = aa + bb;
  const double low = ((aa - sum) + bb) + (__builtin_fma(a, a, -aa) + __builtin_fma(b, b, -bb));
  const double root = __builtin_sqrt(sum);
  const double error = (__builtin_fma(-root, root, sum) + low) / (root + root);
  const double r = (root > 0.0 ? root + error : root) * down;
  const bool infinite = p == __builtin_inf() || q == __builtin_inf();
  return infinite ? __builtin_inf() : x != x || y != y ? x + y : r;
})"},
    // For an exponent that is the same in the whole launch. Gives the same values as on a GPU, where the
    // branch is uniform.
    {"power_uniform_$S", R"($T power_uniform_$S($T x, $T y) {
  const $T any = power_$S(x, y);
  const $T root = x == -($T)__builtin_inf() ? ($T)__builtin_inf() : __builtin_sqrt$F(x + ($T)0);
  return y == ($T)2 ? x * x : y == ($T)3 ? x * x * x : y == ($T)0.5 ? root : y == ($T)-1 ? ($T)1 / x : any;
})",
     "power_$S", "f32 f64"},
};

}  // namespace

std::span<const function_template> cpu_power() { return table; }

}  // namespace sinter::inline v0::codegen
