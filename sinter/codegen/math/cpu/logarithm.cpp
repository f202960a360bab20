// CPU text of the logarithms.
//
// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), so that k ln2 and log(1 + f) cannot cancel. The
// exponent is read from the bits after adding an offset that moves the boundary to sqrt(1/2). Polynomials are
// fitted as in exponential.cpp.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // log(x) = k ln2 + f + v for 0 < x < inf.
    // (log1p(f) - f + f^2/2) / f^3: 2^-29.27
    {"log1p_tail_f32", R"(float log1p_tail_f32(float f) {
  float p = 0x1.b54d84p-5f;
  p = __builtin_fmaf(p, f, -0x1.bf1b7ap-4f);
  p = __builtin_fmaf(p, f, 0x1.eff7fep-4f);
  p = __builtin_fmaf(p, f, -0x1.01049p-3f);
  p = __builtin_fmaf(p, f, 0x1.23032cp-3f);
  p = __builtin_fmaf(p, f, -0x1.552f16p-3f);
  p = __builtin_fmaf(p, f, 0x1.99a542p-3f);
  p = __builtin_fmaf(p, f, -0x1.00007p-2f);
  p = __builtin_fmaf(p, f, 0x1.555548p-2f);
  p = __builtin_fmaf(p, f, -0.5f);
  return f * f * p;
})"},
    {"log_parts_f32", R"(void log_parts_f32(float x, float& k, float& f, float& v) {
  const bool tiny = x < 0x1p-126f;
  const unsigned int bits = __builtin_bit_cast(unsigned int, tiny ? x * 0x1p25f : x) - 0x3f3504f3u;
  k = (float)((int)bits >> 23) - (tiny ? 25.0f : 0.0f);
  f = __builtin_bit_cast(float, (bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  v = log1p_tail_f32(f);
})",
     "log1p_tail_f32"},
    // Results outside (0, inf): inf and NaN are unchanged, 0 gives -inf, negative numbers give NaN.
    {"log_edges_$S", R"($T log_edges_$S($T x, $T inside) {
  const $T above = x < __builtin_inf$F() ? inside : x;
  return x > 0 ? above : (x == 0 ? -__builtin_inf$F() : __builtin_nan$F(""));
})",
     "", "f32 f64"},
    {"log_f32", R"(float log_f32(float x) {
  float k, f, v;
  log_parts_f32(x, k, f, v);
  const float r = __builtin_fmaf(k, 0x1.62e43p-1f, f + __builtin_fmaf(k, -0x1.05c61p-29f, v));
  return log_edges_f32(x, r);
})",
     "log_parts_f32 log_edges_f32"},
    {"log2_f32", R"(float log2_f32(float x) {
  float k, f, v;
  log_parts_f32(x, k, f, v);
  const float tail = __builtin_fmaf(v, 0x1.715476p+0f, f * 0x1.4ae0cp-26f);
  return log_edges_f32(x, k + __builtin_fmaf(f, 0x1.715476p+0f, tail));
})",
     "log_parts_f32 log_edges_f32"},
    {"log10_f32", R"(float log10_f32(float x) {
  float k, f, v;
  log_parts_f32(x, k, f, v);
  const float low = __builtin_fmaf(f, -0x1.5b235ep-27f, k * -0x1.ec10cp-27f);
  const float tail = __builtin_fmaf(v, 0x1.bcb7b2p-2f, low);
  const float r = __builtin_fmaf(k, 0x1.344136p-2f, __builtin_fmaf(f, 0x1.bcb7b2p-2f, tail));
  return log_edges_f32(x, r);
})",
     "log_parts_f32 log_edges_f32"},
    // 1 + x = high + low exactly; low / 2^k is added to f. k is bounded where low is 0, so that 2^-k is
    // finite.
    {"log1p_f32", R"(float log1p_f32(float x) {
  const float high = 1.0f + x;
  const float low = x > 1.0f ? 1.0f - (high - x) : x - (high - 1.0f);
  const unsigned int bits = __builtin_bit_cast(unsigned int, high) - 0x3f3504f3u;
  const int k = (int)bits >> 23;
  const float scale = __builtin_bit_cast(float, (127 - (k < 100 ? k : 100)) << 23);
  const float f0 = __builtin_bit_cast(float, (bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  const float c = low * scale;
  const float f = f0 + c;
  const float v = log1p_tail_f32(f) + ((f0 - f) + c);
  const float n = (float)k;
  const float r = __builtin_fmaf(n, 0x1.62e43p-1f, f + __builtin_fmaf(n, -0x1.05c61p-29f, v));
  return __builtin_fabsf(x) < 0x1p-25f ? x : log_edges_f32(high, r);
})",
     "log1p_tail_f32 log_edges_f32"},

    // log(1 + f) = f + s (R - f), s = f / (2 + f), R = s^2 P(s^2), from log((1 + s) / (1 - s)) = 2s + s R.
    // P: 2^-59.47
    {"log1p_tail_f64", R"(double log1p_tail_f64(double f) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 0x1.2f117ac296cc0p-3;
  p = __builtin_fma(p, z, 0x1.39a095d871239p-3);
  p = __builtin_fma(p, z, 0x1.746649adf9681p-3);
  p = __builtin_fma(p, z, 0x1.c71c51d7d2140p-3);
  p = __builtin_fma(p, z, 0x1.249249422a446p-2);
  p = __builtin_fma(p, z, 0x1.999999997f9f8p-2);
  p = __builtin_fma(p, z, 0x1.5555555555593p-1);
  return s * __builtin_fma(z, p, -f);
})"},
    // Converts k to double through the bits of 2^52 + k: AVX2 cannot convert 64-bit integers.
    {"log_split_f64", R"(void log_split_f64(double x, double& k, double& f) {
  const bool tiny = x < 0x1p-1022;
  const unsigned long long offset = 0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? x * 0x1p54 : x) + offset;
  const double biased = __builtin_bit_cast(double, (bits >> 52) | 0x4330000000000000ull);
  k = (biased - (0x1p52 + 1023.0)) - (tiny ? 54.0 : 0.0);
  f = __builtin_bit_cast(double, (bits & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0;
})"},
    {"log_f64", R"(double log_f64(double x) {
  double k, f;
  log_split_f64(x, k, f);
  const double v = log1p_tail_f64(f);
  const double r =
      __builtin_fma(k, 0x1.62e42fefa39efp-1, f + __builtin_fma(k, 0x1.abc9e3b39803fp-56, v));
  return log_edges_f64(x, r);
})",
     "log_split_f64 log1p_tail_f64 log_edges_f64"},
    {"log2_f64", R"(double log2_f64(double x) {
  double k, f;
  log_split_f64(x, k, f);
  const double v = log1p_tail_f64(f);
  const double tail = __builtin_fma(v, 0x1.71547652b82fep+0, f * 0x1.777d0ffda0d24p-56);
  return log_edges_f64(x, k + __builtin_fma(f, 0x1.71547652b82fep+0, tail));
})",
     "log_split_f64 log1p_tail_f64 log_edges_f64"},
    {"log10_f64", R"(double log10_f64(double x) {
  double k, f;
  log_split_f64(x, k, f);
  const double v = log1p_tail_f64(f);
  const double low = __builtin_fma(f, 0x1.95355baaafad3p-57, k * -0x1.9dc1da994fd21p-59);
  const double tail = __builtin_fma(v, 0x1.bcb7b1526e50ep-2, low);
  const double r = __builtin_fma(k, 0x1.34413509f79ffp-2, __builtin_fma(f, 0x1.bcb7b1526e50ep-2, tail));
  return log_edges_f64(x, r);
})",
     "log_split_f64 log1p_tail_f64 log_edges_f64"},
    // log(high + low) for |low| within half a unit of high's last place, and 0 if high is below 2^-1000.
    {"log_sum_f64", R"(double log_sum_f64(double high, double low) {
  double k, f0;
  log_split_f64(high, k, f0);
  const double bounded = k < -1000.0 ? -1000.0 : k > 1000.0 ? 1000.0 : k;
  const double scale = __builtin_bit_cast(
      double, __builtin_bit_cast(unsigned long long, (0x1p52 + 1023.0) - bounded) << 52);
  const double c = low * scale;
  const double f = f0 + c;
  const double v = log1p_tail_f64(f) + ((f0 - f) + c);
  const double r =
      __builtin_fma(k, 0x1.62e42fefa39efp-1, f + __builtin_fma(k, 0x1.abc9e3b39803fp-56, v));
  return log_edges_f64(high, r);
})",
     "log_split_f64 log1p_tail_f64 log_edges_f64"},
    {"log1p_f64", R"(double log1p_f64(double x) {
  const double high = 1.0 + x;
  const double low = x > 1.0 ? 1.0 - (high - x) : x - (high - 1.0);
  return __builtin_fabs(x) < 0x1p-54 ? x : log_sum_f64(high, low);
})",
     "log_sum_f64"},

    // The logarithm for float functions of several steps, as exp_wide_f32. P: 2^-37.60
    {"log_wide_f32", R"(double log_wide_f32(double x) {
  double k, f;
  log_split_f64(x, k, f);
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 0x1.e2f952e89251dp-3;
  p = __builtin_fma(p, z, 0x1.2438c5bb5271ap-2);
  p = __builtin_fma(p, z, 0x1.999a7aca725c4p-2);
  p = __builtin_fma(p, z, 0x1.555554fd7d585p-1);
  const double r = __builtin_fma(k, 0x1.62e42fefa39efp-1, __builtin_fma(s, __builtin_fma(z, p, -f), f));
  return log_edges_f64(x, r);
})",
     "log_split_f64 log_edges_f64"},

    // logaddexp in double, which needs no correction of the gap; log(1 + e) of a small e by its series.
    {"log1p_wide_f32", R"(double log1p_wide_f32(double e) {
  const double series = e * __builtin_fma(e, __builtin_fma(e, 1.0 / 3.0, -0.5), 1.0);
  return e < 0x1p-10 ? series : log_wide_f32(1.0 + e);
})",
     "log_wide_f32"},
    {"logaddexp_f32", R"(float logaddexp_f32(float x, float y) {
  const double larger = x > y ? x : y;
  const double gap = x == y ? 0.0 : __builtin_fabs((double)x - (double)y);
  const double e = exp_wide_f32(-(gap > 700.0 ? 700.0 : gap));
  const float r = (float)(larger + log1p_wide_f32(e));
  return x != x ? x : y != y ? y : r;
})",
     "exp_wide_f32 log1p_wide_f32"},
    {"logaddexp2_f32", R"(float logaddexp2_f32(float x, float y) {
  const double larger = x > y ? x : y;
  const double gap = x == y ? 0.0 : __builtin_fabs((double)x - (double)y);
  const double e = exp_wide_f32(-0x1.62e42fefa39efp-1 * (gap > 1000.0 ? 1000.0 : gap));
  const float r = (float)__builtin_fma(log1p_wide_f32(e), 0x1.71547652b82fep+0, larger);
  return x != x ? x : y != y ? y : r;
})",
     "exp_wide_f32 log1p_wide_f32"},

    // log(p / (1 - p)). For float a quotient in double is exact enough. For double the quotient is corrected
    // by its remainder, which matters for p near 1/2.
    {"logit_f32", R"(float logit_f32(float x) {
  const double p = x;
  return (float)log_wide_f32(p / (1.0 - p));
})",
     "log_wide_f32"},
    {"logit_f64", R"(double logit_f64(double x) {
  const double rest = 1.0 - x;
  const double rest_low = (1.0 - rest) - x;
  const double q = x / rest;
  const double error = __builtin_fma(-q, rest_low, __builtin_fma(-q, rest, x));
  const double low = error / rest;
  return log_sum_f64(q, q < __builtin_inf() && q > 0x1p-1000 ? low : 0.0);
})",
     "log_sum_f64"},
};

}  // namespace

std::span<const function_template> cpu_logarithm() { return table; }

}  // namespace sinter::inline v0::codegen
