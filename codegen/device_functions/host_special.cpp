// Host text of the error functions.
//
// erfc(x) = exp(-x^2) g(t) / (1 + 2x), t = (x - K) / (x + K), with g a polynomial over the whole half line
// (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", Math.
// Comp. 36, 1981). Coefficients fitted as in host_exponential.cpp.

#include "tables.hpp"

namespace sinter::codegen {
namespace {

constexpr function_template table[] = {
    // Below 0.9 erf(x) / x in x^2, its first coefficient in two parts: 2^-26.33. Above,
    // 1 - 2^q(x) with q ~ log2 erfc, error against erf 2^-33.81
    {"erf_f32", R"(float erf_f32(float x) {
  const float a = __builtin_fabsf(x);
  const float s = a * a;
  float p = -0x1.3f7028p-11f;
  p = __builtin_fmaf(p, s, 0x1.487f94p-8f);
  p = __builtin_fmaf(p, s, -0x1.b6c09p-6f);
  p = __builtin_fmaf(p, s, 0x1.ce1df4p-4f);
  p = __builtin_fmaf(p, s, -0x1.8126fap-2f);
  p = __builtin_fmaf(p, s, 0x1.963534p-25f);
  const float near = __builtin_fmaf(a, 0x1.20dd74p+0f, a * p);
  const float b = a > 3.95f ? 3.95f : a;
  float q = -0x1.f85b2ep-16f;
  q = __builtin_fmaf(q, b, 0x1.465cb4p-11f);
  q = __builtin_fmaf(q, b, -0x1.88feecp-8f);
  q = __builtin_fmaf(q, b, 0x1.286c64p-5f);
  q = __builtin_fmaf(q, b, -0x1.3fc102p-3f);
  q = __builtin_fmaf(q, b, -0x1.d3de18p-1f);
  q = __builtin_fmaf(q, b, -0x1.a12766p+0f);
  q = __builtin_fmaf(q, b, 0x1.fff0b2p-13f);
  const float far = 1.0f - exp2_f32(q);
  return __builtin_copysignf(a < 0.9f ? near : x != x ? x : far, x);
})",
     "exp2_f32"},
    // K = 5/2, in double: 2^-31.52
    {"erfc_f32", R"(float erfc_f32(float x) {
  const double a = __builtin_fabs((double)x);
  const double b = a > 10.5 ? 10.5 : a;
  const double t = (b - 2.5) / (b + 2.5);
  double p = -0x1.49d69054c8136p-16;
  p = __builtin_fma(p, t, -0x1.2503b0e98f0fcp-14);
  p = __builtin_fma(p, t, -0x1.048e567a561a3p-13);
  p = __builtin_fma(p, t, -0x1.ce22fe787bc40p-17);
  p = __builtin_fma(p, t, 0x1.60b1a65edcc9bp-11);
  p = __builtin_fma(p, t, 0x1.e8cf4de8ad0bep-12);
  p = __builtin_fma(p, t, -0x1.207b1cef01acfp-8);
  p = __builtin_fma(p, t, 0x1.ea87c10c4b15ep-11);
  p = __builtin_fma(p, t, 0x1.0c6899f3e2a49p-5);
  p = __builtin_fma(p, t, -0x1.a5c101c9059f5p-4);
  p = __builtin_fma(p, t, 0x1.42d3519e72fefp-3);
  p = __builtin_fma(p, t, -0x1.959ac05320944p-4);
  p = __builtin_fma(p, t, -0x1.f52c5bbf60bfep-4);
  p = __builtin_fma(p, t, 0x1.43cc6f6c79fa4p+0);
  const double y = exp_wide_f32(-b * b) * p / __builtin_fma(2.0, b, 1.0);
  return (float)(x < 0.0f ? 2.0 - y : y);
})",
     "exp_wide_f32"},
    // erfc(a) for 0 <= a, in units of 2^-64 so that no factor is denormal, with every error but the
    // exponential's put back. K = 4, g's first coefficient in two parts: 2^-57.72
    {"erfc_scaled_f64", R"(double erfc_scaled_f64(double a) {
  const double b = a > 28.0 ? 28.0 : a;
  const double t = (b - 4.0) / (b + 4.0);
  double p = 0x1.53a484850727cp-32;
  p = __builtin_fma(p, t, 0x1.28ca072905d22p-29);
  p = __builtin_fma(p, t, 0x1.ce3781d4a7f2cp-30);
  p = __builtin_fma(p, t, -0x1.203fb48afcd82p-26);
  p = __builtin_fma(p, t, -0x1.499fd26583c62p-26);
  p = __builtin_fma(p, t, 0x1.e78064c6668b6p-24);
  p = __builtin_fma(p, t, 0x1.4b82ac9be1da1p-24);
  p = __builtin_fma(p, t, -0x1.bc7e48f818cf1p-21);
  p = __builtin_fma(p, t, 0x1.39031390204fdp-22);
  p = __builtin_fma(p, t, 0x1.7f3fca84a3ed6p-18);
  p = __builtin_fma(p, t, -0x1.788246dcce353p-17);
  p = __builtin_fma(p, t, -0x1.995b36acc82e1p-16);
  p = __builtin_fma(p, t, 0x1.3be031092425ep-13);
  p = __builtin_fma(p, t, -0x1.a1df175471843p-13);
  p = __builtin_fma(p, t, -0x1.8d4a994e2fe76p-11);
  p = __builtin_fma(p, t, 0x1.49c6727548460p-8);
  p = __builtin_fma(p, t, -0x1.09623885a1bfcp-6);
  p = __builtin_fma(p, t, 0x1.3079edf6b6240p-5);
  p = __builtin_fma(p, t, -0x1.0fb06dfe46fe2p-4);
  p = __builtin_fma(p, t, 0x1.7fee004e10e37p-4);
  p = __builtin_fma(p, t, -0x1.9ddb23c3e91e8p-4);
  p = __builtin_fma(p, t, 0x1.16ecefcfa543ap-4);
  p = __builtin_fma(p, t, 0x1.f7f5df66fd7d3p-7);
  p = __builtin_fma(p, t, -0x1.1df1ad154a28fp-3);
  p = __builtin_fma(p, t, -0x1.ab648013aae00p-55);
  const double g = p + 0x1.3ba5916e9fd7fp+0;
  const double g_low = (0x1.3ba5916e9fd7fp+0 - g) + p;
  const double d = __builtin_fma(2.0, b, 1.0);
  const double d_low = __builtin_fma(2.0, b, 1.0 - d);
  const double inverse = 1.0 / d;
  const double q = g * inverse;
  const double q_low = __builtin_fma(-q, d_low, __builtin_fma(-q, d, g) + g_low) * inverse;
  const double square = b * b;
  const double e = exp_sum_f64(-square, -__builtin_fma(b, b, -square), 64.0);
  return __builtin_fma(e, q, e * q_low);
})",
     "exp_sum_f64"},
    // Below 1 erf(x) / x in x^2: 2^-55.90
    {"erf_f64", R"(double erf_f64(double x) {
  const double a = __builtin_fabs(x);
  const double s = a * a;
  double p = -0x1.bd34545f89a4ep-35;
  p = __builtin_fma(p, s, -0x1.03fd7e110887dp-31);
  p = __builtin_fma(p, s, 0x1.bb724a3cf95dep-27);
  p = __builtin_fma(p, s, -0x1.59677b5d2b01cp-23);
  p = __builtin_fma(p, s, 0x1.b92ee9521c1a8p-20);
  p = __builtin_fma(p, s, -0x1.f4c3daa2c50fdp-17);
  p = __builtin_fma(p, s, 0x1.f9a262bf56c93p-14);
  p = __builtin_fma(p, s, -0x1.c02dad275d936p-11);
  p = __builtin_fma(p, s, 0x1.565bcce7883bfp-8);
  p = __builtin_fma(p, s, -0x1.b82ce3118372cp-6);
  p = __builtin_fma(p, s, 0x1.ce2f21a03f30ap-4);
  p = __builtin_fma(p, s, -0x1.812746b037999p-2);
  p = __builtin_fma(p, s, 0x1.20dd750429b6dp+0);
  const double far = __builtin_fma(erfc_scaled_f64(a), -0x1p-64, 1.0);
  return __builtin_copysign(a < 1.0 ? a * p : far, x);
})",
     "erfc_scaled_f64"},
    {"erfc_f64", R"(double erfc_f64(double x) {
  const double a = __builtin_fabs(x);
  const double s = a * a;
  double p = -0x1.bd34545f89a4ep-35;
  p = __builtin_fma(p, s, -0x1.03fd7e110887dp-31);
  p = __builtin_fma(p, s, 0x1.bb724a3cf95dep-27);
  p = __builtin_fma(p, s, -0x1.59677b5d2b01cp-23);
  p = __builtin_fma(p, s, 0x1.b92ee9521c1a8p-20);
  p = __builtin_fma(p, s, -0x1.f4c3daa2c50fdp-17);
  p = __builtin_fma(p, s, 0x1.f9a262bf56c93p-14);
  p = __builtin_fma(p, s, -0x1.c02dad275d936p-11);
  p = __builtin_fma(p, s, 0x1.565bcce7883bfp-8);
  p = __builtin_fma(p, s, -0x1.b82ce3118372cp-6);
  p = __builtin_fma(p, s, 0x1.ce2f21a03f30ap-4);
  p = __builtin_fma(p, s, -0x1.812746b037999p-2);
  p = __builtin_fma(p, s, 0x1.20dd750429b6dp+0);
  const double y = erfc_scaled_f64(a) * 0x1p-64;
  const double near = __builtin_fma(-x, p, 1.0);
  return a < 0.5 ? near : x < 0.0 ? 2.0 - y : y;
})",
     "erfc_scaled_f64"},
};

}  // namespace

std::span<const function_template> host_special() { return table; }

}  // namespace sinter::codegen
