// CPU text of the hyperbolic functions and their inverses.
//
// Most float functions use exp_wide_f32 and log_wide_f32: in double, the cancellation in (e^x - e^-x) / 2 or
// log(x + sqrt(x^2 + 1)) leaves enough digits for float, down to arguments for which two terms of the series
// suffice.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"sinh_f32", R"(float sinh_f32(float x) {
  const float a = __builtin_fabsf(x);
  const double e = exp_wide_f32(a > 100.0f ? 100.0f : a);
  const float far = (float)(0.5 * (e - 1.0 / e));
  const float near = __builtin_fmaf(a * a * a, 0x1.555556p-3f, a);
  return __builtin_copysignf(a < 0x1p-8f ? near : far, x);
})",
     "exp_wide_f32"},
    {"cosh_f32", R"(float cosh_f32(float x) {
  const float a = __builtin_fabsf(x);
  const double e = exp_wide_f32(a > 100.0f ? 100.0f : a);
  return (float)(0.5 * (e + 1.0 / e));
})",
     "exp_wide_f32"},
    // Below 0.6 an odd polynomial, (tanh(x) / x - 1) / x^2: 2^-28.41; above, 1 - 2 / (exp(2x) + 1).
    {"tanh_f32", R"(float tanh_f32(float x) {
  const float a = __builtin_fabsf(x);
  const float s = x * x;
  float p = -0x1.828748p-8f;
  p = __builtin_fmaf(p, s, 0x1.54c3bep-6f);
  p = __builtin_fmaf(p, s, -0x1.b89abap-5f);
  p = __builtin_fmaf(p, s, 0x1.1109bep-3f);
  p = __builtin_fmaf(p, s, -0x1.55553ep-2f);
  const float near = __builtin_fmaf(a * s, p, a);
  const float far = 1.0f - 2.0f / (exp_f32(a + a) + 1.0f);
  return __builtin_copysignf(a < 0.6f ? near : far, x);
})",
     "exp_f32"},
    {"arcsinh_f32", R"(float arcsinh_f32(float x) {
  const double a = __builtin_fabs((double)x);
  const double far = log_wide_f32(a + __builtin_sqrt(__builtin_fma(a, a, 1.0)));
  const double near = __builtin_fma(a * a * a, -1.0 / 6.0, a);
  return __builtin_copysignf((float)(a < 0x1p-8 ? near : far), x);
})",
     "log_wide_f32"},
    {"arccosh_f32", R"(float arccosh_f32(float x) {
  const double a = x;
  const float y = (float)log_wide_f32(a + __builtin_sqrt(__builtin_fma(a, a, -1.0)));
  return x < 1.0f ? __builtin_nanf("") : y;
})",
     "log_wide_f32"},
    {"arctanh_f32", R"(float arctanh_f32(float x) {
  const double a = __builtin_fabs((double)x);
  const double far = 0.5 * log_wide_f32((1.0 + a) / (1.0 - a));
  const double near = __builtin_fma(a * a * a, 1.0 / 3.0, a);
  return __builtin_copysignf((float)(a < 0x1p-8 ? near : far), x);
})",
     "log_wide_f32"},

    // Below 1 an odd polynomial, (sinh(x) / x - 1) / x^2: 2^-61.77; above, e^x / 2 - 1 / (2 e^x), where
    // the factor 1/2 goes into the exponent, so that e^x cannot overflow early.
    {"sinh_f64", R"(double sinh_f64(double x) {
  const double a = __builtin_fabs(x);
  const double s = x * x;
  double p = 0x1.b5c8a601bb945p-41;
  p = __builtin_fma(p, s, 0x1.6116f4802dde8p-33);
  p = __builtin_fma(p, s, 0x1.ae646ff53ce7fp-26);
  p = __builtin_fma(p, s, 0x1.71de3a3b069cdp-19);
  p = __builtin_fma(p, s, 0x1.a01a01a03726ap-13);
  p = __builtin_fma(p, s, 0x1.111111111101ep-7);
  p = __builtin_fma(p, s, 0x1.5555555555556p-3);
  const double near = __builtin_fma(a * s, p, a);
  const double half = exp_sum_f64(a, 0.0, -1.0);
  const double far = half - 0.25 / half;
  return __builtin_copysign(a < 1.0 ? near : far, x);
})",
     "exp_sum_f64"},
    {"cosh_f64", R"(double cosh_f64(double x) {
  const double half = exp_sum_f64(__builtin_fabs(x), 0.0, -1.0);
  return half + 0.25 / half;
})",
     "exp_sum_f64"},
    {"tanh_f64", R"(double tanh_f64(double x) {
  const double a = __builtin_fabs(x);
  const double t = expm1_f64(2.0 * (a > 32.0 ? 32.0 : a));
  const double y = t / (t + 2.0);
  return __builtin_copysign(a < 0x1p-28 ? a : y, x);
})",
     "expm1_f64"},
    // log1p(a + a^2 / (1 + sqrt(1 + a^2))), corrected for the argument's rounding; log(2a) beyond 2^28.
    {"arcsinh_f64", R"(double arcsinh_f64(double x) {
  const double a = __builtin_fabs(x);
  const bool large = a > 0x1p28;
  const double b = large ? 1.0 : a;
  const double square = b * b;
  const double more = square / (1.0 + __builtin_sqrt(1.0 + square));
  const double t = b + more;
  const double t_low = (b - t) + more;
  const double high = 1.0 + t;
  const double low = ((t > 1.0 ? (1.0 - (high - t)) : (t - (high - 1.0)))) + t_low;
  const double y = log_sum_f64(large ? a : high, large ? 0.0 : low) + (large ? 0x1.62e42fefa39efp-1 : 0.0);
  return __builtin_copysign(a < 0x1p-28 ? a : y, x);
})",
     "log_sum_f64"},
    {"arccosh_f64", R"(double arccosh_f64(double x) {
  const bool large = x > 0x1p28;
  const double t = (large ? 2.0 : x) - 1.0;
  const double under = __builtin_fma(t, t, t + t);
  const double root = __builtin_sqrt(under);
  const double sum = t + root;
  const double sum_low = t > root ? (t - sum) + root : (root - sum) + t;
  const double high = 1.0 + sum;
  const double low = (sum > 1.0 ? 1.0 - (high - sum) : sum - (high - 1.0)) + sum_low;
  const double y = log_sum_f64(large ? x : high, large ? 0.0 : low) + (large ? 0x1.62e42fefa39efp-1 : 0.0);
  return x < 1.0 ? __builtin_nan("") : y;
})",
     "log_sum_f64"},
    {"arctanh_f64", R"(double arctanh_f64(double x) {
  const double a = __builtin_fabs(x);
  const double rest = 1.0 - a;
  const double rest_low = (1.0 - rest) - a;
  const double twice = a + a;
  const double t = twice / rest;
  const double t_low = __builtin_fma(-t, rest_low, __builtin_fma(-t, rest, twice)) / rest;
  const double high = 1.0 + t;
  const double low = (t > 1.0 ? 1.0 - (high - t) : t - (high - 1.0)) + t_low;
  const double y = 0.5 * log_sum_f64(high, a < 1.0 ? low : 0.0);
  return __builtin_copysign(a < 0x1p-28 ? a : y, x);
})",
     "log_sum_f64"},
};

}  // namespace

std::span<const function_template> cpu_hyperbolic() { return table; }

}  // namespace sinter::inline v0::codegen
