// CPU text of exp, exp2, expm1 and functions composed of the exponential.
//
// Reduction: x = n ln2 + r with |r| <= ln2/2 (Cody and Waite, "Software Manual for the Elementary Functions",
// 1980). Adding 1.5 * 2^23 (2^52) leaves n in the low bits of the sum, so that no conversion to an integer is
// needed: AVX2 has none for 64 bits. Polynomials are minimax fits by Remez exchange in 45 digits. Their
// coefficients are rounded one after another from the lowest power, and the others fitted again; each comment
// gives the largest relative error of the rounded polynomial.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // p * 2^n for p near 1, where `shifted` is 1.5 * 2^23 + n and -254 <= n <= 254. Two factors, so that only
    // the last multiplication can round, overflow or become denormal.
    {"exp_scale_f32", R"(float exp_scale_f32(float p, float shifted) {
  const unsigned int n = __builtin_bit_cast(unsigned int, shifted) - (0x4b400000u - 254u);
  const unsigned int half = n >> 1;
  return p * __builtin_bit_cast(float, half << 23) * __builtin_bit_cast(float, (n - half) << 23);
})"},
    {"exp_scale_f64", R"(double exp_scale_f64(double p, double shifted) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, shifted);
  const unsigned long long n = bits - (0x4338000000000000ull - 2046ull);
  const unsigned long long half = n >> 1;
  return p * __builtin_bit_cast(double, half << 52) * __builtin_bit_cast(double, (n - half) << 52);
})"},

    // (exp(r) - 1 - r) / r^2: 2^-28.08
    {"exp_f32", R"(float exp_f32(float x) {
  float limited = x < -104.0f ? -104.0f : x;
  limited = limited > 89.0f ? 89.0f : limited;
  const float shifted = __builtin_fmaf(limited, 0x1.715476p+0f, 0x1.8p23f);
  const float n = shifted - 0x1.8p23f;
  float r = __builtin_fmaf(n, -0x1.62e43p-1f, limited);
  r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
  float p = 0x1.6a644ep-10f;
  p = __builtin_fmaf(p, r, 0x1.123f98p-7f);
  p = __builtin_fmaf(p, r, 0x1.55589ep-5f);
  p = __builtin_fmaf(p, r, 0x1.555488p-3f);
  p = __builtin_fmaf(p, r, 0x1.fffffcp-2f);
  p = __builtin_fmaf(p, r, 1.0f);
  p = __builtin_fmaf(p, r, 1.0f);
  return exp_scale_f32(p, shifted);
})",
     "exp_scale_f32"},
    // (2^r - 1) / r: 2^-27.46
    {"exp2_f32", R"(float exp2_f32(float x) {
  float limited = x < -152.0f ? -152.0f : x;
  limited = limited > 129.0f ? 129.0f : limited;
  const float shifted = limited + 0x1.8p23f;
  const float r = limited - (shifted - 0x1.8p23f);
  float p = 0x1.4a62f8p-13f;
  p = __builtin_fmaf(p, r, 0x1.5f9b42p-10f);
  p = __builtin_fmaf(p, r, 0x1.3b2268p-7f);
  p = __builtin_fmaf(p, r, 0x1.c6add4p-5f);
  p = __builtin_fmaf(p, r, 0x1.ebfbe6p-3f);
  p = __builtin_fmaf(p, r, 0x1.62e432p-1f);
  p = __builtin_fmaf(p, r, 1.0f);
  return exp_scale_f32(p, shifted);
})",
     "exp_scale_f32"},
    // expm1(x) = 2^n r + (2^n - 1) + 2^n (r_low + r^2 P(r)), with half of 2^n so that n = 128 does not
    // overflow. P: 2^-28.13
    {"expm1_f32", R"(float expm1_f32(float x) {
  float limited = x < -18.0f ? -18.0f : x;
  limited = limited > 89.0f ? 89.0f : limited;
  const float shifted = __builtin_fmaf(limited, 0x1.715476p+0f, 0x1.8p23f);
  const float n = shifted - 0x1.8p23f;
  const float first = __builtin_fmaf(n, -0x1.62e43p-1f, limited);
  const float r = __builtin_fmaf(n, 0x1.05c61p-29f, first);
  const float low = __builtin_fmaf(n, 0x1.05c61p-29f, first - r);
  float p = 0x1.38f996p-13f;
  p = __builtin_fmaf(p, r, 0x1.6d2e94p-10f);
  p = __builtin_fmaf(p, r, 0x1.1156a4p-7f);
  p = __builtin_fmaf(p, r, 0x1.555502p-5f);
  p = __builtin_fmaf(p, r, 0x1.55552cp-3f);
  p = __builtin_fmaf(p, r, 0x1p-1f);
  p = __builtin_fmaf(r * r, p, low);
  const float half =
      __builtin_bit_cast(float, (__builtin_bit_cast(unsigned int, shifted) - (0x4b400000u - 126u)) << 23);
  const float sum = __builtin_fmaf(half, p, __builtin_fmaf(half, r, half - 0.5f));
  return __builtin_fabsf(x) < 0x1p-25f ? x : sum + sum;
})"},

    // exp(high + low) * 2^extra for |low| far below |high| and an integer |extra| <= 800.
    // (exp(r) - 1 - r - r^2/2) / r^3: 2^-59.02
    {"exp_sum_f64", R"(double exp_sum_f64(double high, double low, double extra) {
  double limited = high < -800.0 ? -800.0 : high;
  limited = limited > 800.0 ? 800.0 : limited;
  const double shifted = __builtin_fma(limited, 0x1.71547652b82fep+0, 0x1.8p52);
  const double n = shifted - 0x1.8p52;
  double r = __builtin_fma(n, -0x1.62e42fefa39efp-1, limited);
  r = __builtin_fma(n, -0x1.abc9e3b39803fp-56, r) + low;
  double p = 0x1.24a7ade4113dap-29;
  p = __builtin_fma(p, r, 0x1.af66548ed477dp-26);
  p = __builtin_fma(p, r, 0x1.27e25c239d831p-22);
  p = __builtin_fma(p, r, 0x1.71ddf50db0c27p-19);
  p = __builtin_fma(p, r, 0x1.a01a025dd0247p-16);
  p = __builtin_fma(p, r, 0x1.a01a01b0b9f3cp-13);
  p = __builtin_fma(p, r, 0x1.6c16c16c09026p-10);
  p = __builtin_fma(p, r, 0x1.111111110f5b1p-7);
  p = __builtin_fma(p, r, 0x1.555555555554bp-5);
  p = __builtin_fma(p, r, 0x1.5555555555559p-3);
  p = __builtin_fma(p, r, 0.5);
  p = __builtin_fma(p, r, 1.0);
  p = __builtin_fma(p, r, 1.0);
  return exp_scale_f64(p, shifted + extra);
})",
     "exp_scale_f64"},
    {"exp_f64", "double exp_f64(double x) { return exp_sum_f64(x, 0.0, 0.0); }", "exp_sum_f64"},
    // (2^r - 1) / r: 2^-57.29
    {"exp2_f64", R"(double exp2_f64(double x) {
  double limited = x < -1100.0 ? -1100.0 : x;
  limited = limited > 1025.0 ? 1025.0 : limited;
  const double shifted = limited + 0x1.8p52;
  const double r = limited - (shifted - 0x1.8p52);
  double p = 0x1.fa0c3efefc185p-35;
  p = __builtin_fma(p, r, 0x1.ed487bb18512dp-32);
  p = __builtin_fma(p, r, 0x1.e334ac69bb009p-28);
  p = __builtin_fma(p, r, 0x1.b522a4f3aac60p-24);
  p = __builtin_fma(p, r, 0x1.62c091e2f5c7bp-20);
  p = __builtin_fma(p, r, 0x1.ffcbfd892afe9p-17);
  p = __builtin_fma(p, r, 0x1.430912dced14fp-13);
  p = __builtin_fma(p, r, 0x1.5d87fe7868efep-10);
  p = __builtin_fma(p, r, 0x1.3b2ab6fbaad18p-7);
  p = __builtin_fma(p, r, 0x1.c6b08d704a1fbp-5);
  p = __builtin_fma(p, r, 0x1.ebfbdff82c574p-3);
  p = __builtin_fma(p, r, 0x1.62e42fefa39efp-1);
  p = __builtin_fma(p, r, 1.0);
  return exp_scale_f64(p, shifted);
})",
     "exp_scale_f64"},
    {"expm1_f64", R"(double expm1_f64(double x) {
  double limited = x < -40.0 ? -40.0 : x;
  limited = limited > 710.0 ? 710.0 : limited;
  const double shifted = __builtin_fma(limited, 0x1.71547652b82fep+0, 0x1.8p52);
  const double n = shifted - 0x1.8p52;
  const double first = __builtin_fma(n, -0x1.62e42fefa39efp-1, limited);
  const double r = __builtin_fma(n, -0x1.abc9e3b39803fp-56, first);
  const double low = __builtin_fma(n, -0x1.abc9e3b39803fp-56, first - r);
  double p = 0x1.24a7ade4113dap-29;
  p = __builtin_fma(p, r, 0x1.af66548ed477dp-26);
  p = __builtin_fma(p, r, 0x1.27e25c239d831p-22);
  p = __builtin_fma(p, r, 0x1.71ddf50db0c27p-19);
  p = __builtin_fma(p, r, 0x1.a01a025dd0247p-16);
  p = __builtin_fma(p, r, 0x1.a01a01b0b9f3cp-13);
  p = __builtin_fma(p, r, 0x1.6c16c16c09026p-10);
  p = __builtin_fma(p, r, 0x1.111111110f5b1p-7);
  p = __builtin_fma(p, r, 0x1.555555555554bp-5);
  p = __builtin_fma(p, r, 0x1.5555555555559p-3);
  p = __builtin_fma(p, r, 0.5);
  p = __builtin_fma(r * r, p, low);
  const double half = __builtin_bit_cast(
      double, (__builtin_bit_cast(unsigned long long, shifted) - (0x4338000000000000ull - 1022ull)) << 52);
  const double sum = __builtin_fma(half, p, __builtin_fma(half, r, half - 0.5));
  return __builtin_fabs(x) < 0x1p-54 ? x : sum + sum;
})"},

    // exp and log in double, with an error of 2^-37, for float functions of several steps: their result is
    // rounded to float once, so its error is hardly above half a unit. |x| <= 700; NaN stays NaN.
    // (exp(r) - 1) / r: 2^-39.31
    {"exp_wide_f32", R"(double exp_wide_f32(double x) {
  const double shifted = __builtin_fma(x, 0x1.71547652b82fep+0, 0x1.8p52);
  const double n = shifted - 0x1.8p52;
  double r = __builtin_fma(n, -0x1.62e42fefa39efp-1, x);
  double p = 0x1.964716633b92ap-16;
  p = __builtin_fma(p, r, 0x1.a1ac2adb66288p-13);
  p = __builtin_fma(p, r, 0x1.6c20606920721p-10);
  p = __builtin_fma(p, r, 0x1.111080f1266c3p-7);
  p = __builtin_fma(p, r, 0x1.55554ff1fe43fp-5);
  p = __builtin_fma(p, r, 0x1.5555559fb6189p-3);
  p = __builtin_fma(p, r, 0x1.00000001b0ac0p-1);
  p = __builtin_fma(p, r, 0x1.ffffffffdaa13p-1);
  p = __builtin_fma(p, r, 1.0);
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, shifted);
  return p * __builtin_bit_cast(double, (bits - (0x4338000000000000ull - 1023ull)) << 52);
})"},

    // 1 / (1 + exp(-x)) in terms of exp(-|x|), which cannot overflow, so that the tail keeps its denormals.
    // Corrects for the rounding of the sum and of the quotient.
    {"expit_$S", R"($T expit_$S($T x) {
  const $T e = exp_$S(-__builtin_fabs$F(x));
  const $T d = 1 + e;
  const $T d_low = (1 - d) + e;
  const $T n = x < 0 ? e : ($T)1;
  const $T inverse = 1 / d;
  const $T y = n * inverse;
  return __builtin_fma$F(__builtin_fma$F(-y, d, n) - y * d_low, inverse, y);
})",
     "exp_$S", "f32 f64"},
};

}  // namespace

std::span<const function_template> cpu_exponential() { return table; }

}  // namespace sinter::inline v0::codegen
