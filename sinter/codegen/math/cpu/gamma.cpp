// CPU text of the gamma functions.
//
// gamma(x) = S(x) y^(x - 1/2) exp(-y), y = x - 1/2 + g (Lanczos, "A precision approximation of the gamma
// function", SIAM J. Numer. Anal. 1, 1964), with the rational S and the g that Boost.Math and musl have for
// doubles ("lanczos13m53"). The power and the exponential are taken together, of a logarithm in two parts, so
// that their error does not grow with x. Below 0 by reflection, which needs sin(pi x) only between -1/2 and
// 1/2.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // x S(x) for 0 <= x: a zero of the denominator at 0 is left out
    {"lanczos_sum_f64", R"(double lanczos_sum_f64(double x) {
  double p = 0x1.40d931ff62705p+1;
  p = __builtin_fma(p, x, 0x1.a5a607bbc3b52p+7);
  p = __builtin_fma(p, x, 0x1.f87ac0858d804p+12);
  p = __builtin_fma(p, x, 0x1.6b6421f8787ebp+17);
  p = __builtin_fma(p, x, 0x1.5f1e95080f44cp+21);
  p = __builtin_fma(p, x, 0x1.df876f95dcc98p+24);
  p = __builtin_fma(p, x, 0x1.dab0c7bb95f2ap+27);
  p = __builtin_fma(p, x, 0x1.57418f5d3f33fp+30);
  p = __builtin_fma(p, x, 0x1.67fc1b3a5a1e8p+32);
  p = __builtin_fma(p, x, 0x1.0b0b522e8261ap+34);
  p = __builtin_fma(p, x, 0x1.0a132818ab61ap+35);
  p = __builtin_fma(p, x, 0x1.3fc7075f54c57p+35);
  p = __builtin_fma(p, x, 0x1.5ea5143c1a49ep+34);
  double q = 1.0;
  q = __builtin_fma(q, x, 66.0);
  q = __builtin_fma(q, x, 1925.0);
  q = __builtin_fma(q, x, 32670.0);
  q = __builtin_fma(q, x, 357423.0);
  q = __builtin_fma(q, x, 2637558.0);
  q = __builtin_fma(q, x, 13339535.0);
  q = __builtin_fma(q, x, 45995730.0);
  q = __builtin_fma(q, x, 105258076.0);
  q = __builtin_fma(q, x, 150917976.0);
  q = __builtin_fma(q, x, 120543840.0);
  q = __builtin_fma(q, x, 39916800.0);
  return p / q;
})"},
    // (x - 1/2) log(y) - y for 0 <= x as high + low; y - (x - 1/2) is g
    {"lanczos_exponent_f64", R"(void lanczos_exponent_f64(double x, double& high, double& low) {
  const double z = x - 0.5;
  const double z_low = x - (z + 0.5);
  const double y = x + 0x1.61945b9800000p+2;
  const double x_part = y - 0x1.61945b9800000p+2;
  const double y_low = (x - x_part) + (0x1.61945b9800000p+2 - (y - x_part));
  double log_high, log_low;
  log_pair_f64(y, log_high, log_low);
  const double lowered = log_high - 1.0;
  const double lowered_low = ((log_high - (lowered + 1.0)) + log_low) + y_low / y;
  const double product = z * lowered;
  const double product_low =
      __builtin_fma(z, lowered, -product) + __builtin_fma(z, lowered_low, z_low * lowered);
  high = product - 0x1.81945b9800000p+2;
  const double back = high + 0x1.81945b9800000p+2;
  low = (product - back) + ((back - high) - 0x1.81945b9800000p+2) + product_low;
})",
     "log_pair_f64"},
    // sin(pi d) / pi for -1/2 <= d <= 1/2: its Taylor series, 2^-60
    {"sine_of_turn_f64", R"(double sine_of_turn_f64(double d) {
  const double s = d * d;
  double p = 0x1.79788684225eap-33;
  p = __builtin_fma(p, s, -0x1.f5f9d970ca6dfp-28);
  p = __builtin_fma(p, s, 0x1.0fc992ff39e13p-22);
  p = __builtin_fma(p, s, -0x1.d42498d1ce099p-18);
  p = __builtin_fma(p, s, 0x1.374719fab3915p-13);
  p = __builtin_fma(p, s, -0x1.33816aa4607abp-9);
  p = __builtin_fma(p, s, 0x1.ac6805cf350a6p-6);
  p = __builtin_fma(p, s, -0x1.86a8e4720db67p-3);
  p = __builtin_fma(p, s, 0x1.9f9cb402bc46cp-1);
  p = __builtin_fma(p, s, -0x1.a51a6625307d3p+0);
  p = __builtin_fma(p, s, 0x1.0000000000000p+0);
  return d * p;
})"},
    // Below 0 with the reciprocal of gamma(-x), far below times 2^100 so that no factor is denormal.
    {"tgamma_f64", R"(double tgamma_f64(double x) {
  const double a = __builtin_fabs(x);
  const double b = a > 190.0 ? 190.0 : a;
  const bool below = x < 0.0, scaled = below && a > 100.0;
  double high, low;
  lanczos_exponent_f64(b, high, low);
  const double power = exp_sum_f64(below ? -high : high, below ? -low : low, scaled ? 100.0 : 0.0);
  const double sum = lanczos_sum_f64(b);
  const double whole = __builtin_rint(a);
  const double turn = sine_of_turn_f64(a - whole);
  const double half = whole * 0.5;
  const double sine = half == __builtin_floor(half) ? turn : -turn;
  const double reflected = -(power / sum / sine) * (scaled ? 0x1p-100 : 1.0);
  const double above = a < 1.0 ? sum * power / x : a > 190.0 ? a * __builtin_inf() : sum / b * power;
  return x != x ? x : below ? (a == whole ? __builtin_nan("") : reflected) : above;
})",
     "lanczos_exponent_f64 lanczos_sum_f64 sine_of_turn_f64 exp_sum_f64"},
    {"tgamma_f32", "float tgamma_f32(float x) { return (float)tgamma_f64((double)x); }", "tgamma_f64"},
    // log gamma(a): below 3 (b - 1) (b - 2) P(b - 2) with b = a or a + 1, which keeps its zeros, 2^-55.07;
    // above the logarithm of Lanczos' form. All that remains is one logarithm.
    {"gammaln_f64", R"(double gammaln_f64(double x) {
  const double a = __builtin_fabs(x);
  const bool below = x < 0.0, first = a < 1.0, large = a >= 3.0;
  const double c = first ? a - 1.0 : (large ? 2.0 : a) - 2.0;
  double p = 0x1.b3541ab65bdbfp-32;
  p = __builtin_fma(p, c, -0x1.c035341ec058fp-31);
  p = __builtin_fma(p, c, -0x1.47270e5e1fb65p-30);
  p = __builtin_fma(p, c, 0x1.4ff438323b2c8p-29);
  p = __builtin_fma(p, c, 0x1.27da3df040450p-28);
  p = __builtin_fma(p, c, -0x1.3103f029c7ba0p-27);
  p = __builtin_fma(p, c, 0x1.a42ed3de5b793p-32);
  p = __builtin_fma(p, c, -0x1.f849c85b95e9dp-31);
  p = __builtin_fma(p, c, 0x1.ab61d22cc9788p-26);
  p = __builtin_fma(p, c, -0x1.bdb9f4ce42d8dp-25);
  p = __builtin_fma(p, c, 0x1.7c7b8a89c3cd7p-24);
  p = __builtin_fma(p, c, -0x1.8ff67cc7ad32ep-23);
  p = __builtin_fma(p, c, 0x1.b2c54c428c424p-22);
  p = __builtin_fma(p, c, -0x1.cb3ff70f30455p-21);
  p = __builtin_fma(p, c, 0x1.e541e1a32fbd5p-20);
  p = __builtin_fma(p, c, -0x1.022302a40660bp-18);
  p = __builtin_fma(p, c, 0x1.13e4c880cb9a3p-17);
  p = __builtin_fma(p, c, -0x1.285110f192ea9p-16);
  p = __builtin_fma(p, c, 0x1.402f0a28deda1p-15);
  p = __builtin_fma(p, c, -0x1.5c86af6d06700p-14);
  p = __builtin_fma(p, c, 0x1.7ed733d21cbf4p-13);
  p = __builtin_fma(p, c, -0x1.a96a403976f3ap-12);
  p = __builtin_fma(p, c, 0x1.dfebcf8e001b7p-11);
  p = __builtin_fma(p, c, -0x1.145121f959a87p-9);
  p = __builtin_fma(p, c, 0x1.47974853aa7eap-8);
  p = __builtin_fma(p, c, -0x1.95ce223a9d24ap-7);
  p = __builtin_fma(p, c, 0x1.0e0c9df293530p-5);
  p = __builtin_fma(p, c, -0x1.9ae6509ea109ep-4);
  p = __builtin_fma(p, c, 0x1.b0ee6072093cep-2);
  const double near = (first ? a : a - 1.0) * c * p;
  const double b = a > 1e300 ? 1e300 : a;
  double high, low;
  lanczos_exponent_f64(large ? b : 3.0, high, low);
  const double sum = lanczos_sum_f64(large ? (b > 1e12 ? 1e12 : b) : 3.0);
  const double ratio = large ? sum / (b > 1e12 ? 1e12 : b) : 1.0;
  const double base = large ? high + low : near;
  const double whole = __builtin_rint(a);
  const double sine = __builtin_fabs(sine_of_turn_f64(a - whole));
  const double inside = below ? sine * (first ? 1.0 : a) * ratio : first ? a : ratio;
  const double rest = log_f64(inside);
  const double above = a > 1e300 ? a * (log_f64(a) - 1.0) : base + (first ? -rest : rest);
  const double y = below ? -rest - base : above;
  return x != x ? x : (below && a == whole) || a == __builtin_inf() ? __builtin_inf() : y;
})",
     "lanczos_exponent_f64 lanczos_sum_f64 sine_of_turn_f64 log_f64"},
    {"gammaln_f32", "float gammaln_f32(float x) { return (float)gammaln_f64((double)x); }", "gammaln_f64"},
};

}  // namespace

std::span<const function_template> cpu_gamma() { return table; }

}  // namespace sinter::inline v0::codegen
