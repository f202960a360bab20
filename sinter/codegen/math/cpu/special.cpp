// CPU text of the error functions.
//
// erfc(x) = exp(-x^2) g(t) / (1 + 2x), t = (x - K) / (x + K), with g a polynomial over the whole half line
// (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", Math.
// Comp. 36, 1981). Coefficients are fitted as in exponential.cpp.
//
// erfinv(x) = x P(w) with w = -log(1 - x^2) (Giles, "Approximating the erfinv function", GPU Computing Gems
// 2, 2011), the polynomials interpolated at Chebyshev points in 60 digits.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
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
    // erfc(a) for 0 <= a, in units of 2^-64 so that no factor is denormal, with every rounding corrected
    // except the exponential's. K = 4, g's first coefficient in two parts: 2^-57.72
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
    // erfinv(x) / x: below w = 5 a polynomial in w = -log(1 - x^2), 2^-33.92; above one in sqrt(w), 2^-31.12.
    // 1 - x^2 is exact in double.
    {"erfinv_f32", R"(float erfinv_f32(float x) {
  const double a = __builtin_fabs((double)x);
  const double w = -log_wide_f32((1.0 - a) * (1.0 + a));
  const double s = w - 2.5;
  double p = -0x1.75045e36fd876p-36;
  p = __builtin_fma(p, s, 0x1.0e8b1b9516a51p-33);
  p = __builtin_fma(p, s, 0x1.c9c81e3c5b325p-31);
  p = __builtin_fma(p, s, -0x1.74f4495a187ccp-27);
  p = __builtin_fma(p, s, 0x1.d66fac2d14be4p-27);
  p = __builtin_fma(p, s, 0x1.00f8719914c4ap-21);
  p = __builtin_fma(p, s, -0x1.caa32f746fad4p-19);
  p = __builtin_fma(p, s, -0x1.4f4496f9c1788p-18);
  p = __builtin_fma(p, s, 0x1.c9b46cd91df7ap-13);
  p = __builtin_fma(p, s, -0x1.4863d1009b540p-10);
  p = __builtin_fma(p, s, -0x1.11c3c3612a2ccp-8);
  p = __builtin_fma(p, s, 0x1.f91e89955a57fp-3);
  p = __builtin_fma(p, s, 0x1.805c5cfcedef5p+0);
  const double r = __builtin_sqrt(w < 5.0 ? 5.0 : w) - 3.243033988749895;
  double q = 0x1.aa7e95ba47081p-18;
  q = __builtin_fma(q, r, -0x1.b961fd3df0e4fp-23);
  q = __builtin_fma(q, r, -0x1.af01a49e05b7fp-15);
  q = __builtin_fma(q, r, 0x1.6b66f157ecebdp-14);
  q = __builtin_fma(q, r, 0x1.65bbd7cd6204fp-16);
  q = __builtin_fma(q, r, -0x1.7ee69974f868cp-12);
  q = __builtin_fma(q, r, 0x1.fca633033aaddp-11);
  q = __builtin_fma(q, r, -0x1.c46e5b59fa994p-10);
  q = __builtin_fma(q, r, 0x1.4e5d5286ee1d4p-9);
  q = __builtin_fma(q, r, -0x1.f4edb7d3f34a0p-9);
  q = __builtin_fma(q, r, 0x1.652c70d18d243p-8);
  q = __builtin_fma(q, r, 0x1.0153b66a43cdep+0);
  q = __builtin_fma(q, r, 0x1.89d74f4107f57p+1);
  const float y = (float)((double)x * (w < 5.0 ? p : q));
  return a < 1.0 ? y : a == 1.0 ? __builtin_copysignf(__builtin_inff(), x) : __builtin_nanf("");
})",
     "log_wide_f32"},
    // The same with boundaries at sqrt(w) = 2.5 and 4: 2^-53.91, 2^-53.97, 2^-55.93
    {"erfinv_f64", R"(double erfinv_f64(double x) {
  const double a = __builtin_fabs(x);
  const double w = -log_f64((1.0 - a) * (1.0 + a));
  const double s = w - 3.125;
  double p = 0x1.528a6d91ce2e2p-77;
  p = __builtin_fma(p, s, -0x1.8fb8bb7570430p-76);
  p = __builtin_fma(p, s, -0x1.0e3079eda5d91p-70);
  p = __builtin_fma(p, s, 0x1.505faa67f6d97p-68);
  p = __builtin_fma(p, s, 0x1.44961d41a7a2bp-65);
  p = __builtin_fma(p, s, -0x1.c1d62fe3cf99fp-62);
  p = __builtin_fma(p, s, 0x1.c53f3bb1655cbp-62);
  p = __builtin_fma(p, s, 0x1.27be4cec71327p-56);
  p = __builtin_fma(p, s, -0x1.148abfb39b82bp-53);
  p = __builtin_fma(p, s, -0x1.9b0d26df5bbdap-55);
  p = __builtin_fma(p, s, 0x1.d4d85e8e7495bp-48);
  p = __builtin_fma(p, s, -0x1.682928cb89bd0p-45);
  p = __builtin_fma(p, s, -0x1.6b3a1c87d7831p-44);
  p = __builtin_fma(p, s, 0x1.7231359d731fdp-39);
  p = __builtin_fma(p, s, -0x1.c8a8811872891p-37);
  p = __builtin_fma(p, s, -0x1.dc3e3c7cf2c82p-35);
  p = __builtin_fma(p, s, 0x1.20f54c081e72ep-30);
  p = __builtin_fma(p, s, -0x1.1a9eb413249c6p-28);
  p = __builtin_fma(p, s, -0x1.f36cef611920cp-26);
  p = __builtin_fma(p, s, 0x1.c6b4f89a416bbp-22);
  p = __builtin_fma(p, s, -0x1.6e8a53c62a181p-20);
  p = __builtin_fma(p, s, -0x1.d1d1f7ca6a77bp-17);
  p = __builtin_fma(p, s, 0x1.879c2a20adbd6p-13);
  p = __builtin_fma(p, s, -0x1.845769483517bp-11);
  p = __builtin_fma(p, s, -0x1.8b6c33114ea23p-8);
  p = __builtin_fma(p, s, 0x1.ebd80d9b13df9p-3);
  p = __builtin_fma(p, s, 0x1.a755e7c99ae86p+0);
  const double root = __builtin_sqrt(w < 6.25 ? 6.25 : w);
  const double t = root - 3.25;
  double q = -0x1.8c3857d0faac1p-30;
  q = __builtin_fma(q, t, 0x1.053a5b69dbae9p-27);
  q = __builtin_fma(q, t, -0x1.7b4174a43c47dp-27);
  q = __builtin_fma(q, t, -0x1.63934d43c8c68p-26);
  q = __builtin_fma(q, t, 0x1.0ef2cc0802555p-23);
  q = __builtin_fma(q, t, -0x1.07e13aaa994e8p-22);
  q = __builtin_fma(q, t, -0x1.9856b31be2091p-26);
  q = __builtin_fma(q, t, 0x1.8dc25dc0df161p-20);
  q = __builtin_fma(q, t, -0x1.0b96b91e8b479p-18);
  q = __builtin_fma(q, t, 0x1.89984a140efedp-19);
  q = __builtin_fma(q, t, 0x1.a245be6e20b5fp-17);
  q = __builtin_fma(q, t, -0x1.8cf45a16de60fp-15);
  q = __builtin_fma(q, t, 0x1.1e6aa5fbf1f1ep-14);
  q = __builtin_fma(q, t, 0x1.932e8d102d857p-16);
  q = __builtin_fma(q, t, -0x1.7448bc373ebfbp-12);
  q = __builtin_fma(q, t, 0x1.f3cc545f83fd5p-11);
  q = __builtin_fma(q, t, -0x1.ba9240da8b306p-10);
  q = __builtin_fma(q, t, 0x1.468eeca93f733p-9);
  q = __builtin_fma(q, t, -0x1.ebadabb9fbc24p-9);
  q = __builtin_fma(q, t, 0x1.5ffcfe5b6cdf1p-8);
  q = __builtin_fma(q, t, 0x1.0158a6d641d54p+0);
  q = __builtin_fma(q, t, 0x1.8abcc380d5a48p+1);
  const double u = root - 5.0625;
  double r = -0x1.0101d8f35bf21p-40;
  r = __builtin_fma(r, u, 0x1.51395ed89f48bp-38);
  r = __builtin_fma(r, u, -0x1.4da22ebc5043fp-37);
  r = __builtin_fma(r, u, 0x1.870f8c7563340p-42);
  r = __builtin_fma(r, u, 0x1.276e71e74a9c0p-34);
  r = __builtin_fma(r, u, -0x1.5acfe8d8c1d95p-32);
  r = __builtin_fma(r, u, 0x1.1314785bffcd0p-30);
  r = __builtin_fma(r, u, -0x1.5a70a261f18c1p-29);
  r = __builtin_fma(r, u, 0x1.713314efed173p-28);
  r = __builtin_fma(r, u, -0x1.6297a8a49d6c2p-27);
  r = __builtin_fma(r, u, 0x1.5d9c44c5a24ecp-26);
  r = __builtin_fma(r, u, -0x1.c16a7e6e3c538p-25);
  r = __builtin_fma(r, u, 0x1.a4045d14f59c3p-23);
  r = __builtin_fma(r, u, -0x1.dc52f86eae5e9p-21);
  r = __builtin_fma(r, u, 0x1.142d4dce91da7p-18);
  r = __builtin_fma(r, u, -0x1.2f0bca1f11423p-16);
  r = __builtin_fma(r, u, 0x1.26071991f03e0p-14);
  r = __builtin_fma(r, u, -0x1.9cacac54f7c90p-13);
  r = __builtin_fma(r, u, -0x1.73d5046c5d5cep-13);
  r = __builtin_fma(r, u, 0x1.02a1c126f26efp+0);
  r = __builtin_fma(r, u, 0x1.3a6f678932e7fp+2);
  const double y = x * (w < 6.25 ? p : root < 4.0 ? q : r);
  return a < 1.0 ? y : a == 1.0 ? __builtin_copysign(__builtin_inf(), x) : __builtin_nan("");
})",
     "log_f64"},
    // 2^64 erfc(a / sqrt(2)) for 0 <= a. The quotient's rounding error, which the tail multiplies, is taken
    // along.
    {"normal_tail_f64", R"(double normal_tail_f64(double a) {
  const double b = a > 40.0 ? 40.0 : a;
  const double t = b * 0x1.6a09e667f3bcdp-1;
  const double t_low = __builtin_fma(b, 0x1.6a09e667f3bcdp-1, -t) + b * -0x1.bdd3413b26456p-55;
  const double slope = exp_sum_f64(-t * t, 0.0, 64.0) * 0x1.20dd750429b6dp+0;
  return __builtin_fma(-slope, t_low, erfc_scaled_f64(t));
})",
     "erfc_scaled_f64 exp_sum_f64"},
    {"ndtr_f64", R"(double ndtr_f64(double x) {
  const double tail = normal_tail_f64(__builtin_fabs(x));
  const double near = __builtin_fma(0.5, erf_f64(x * 0x1.6a09e667f3bcdp-1), 0.5);
  const double far = x < 0.0 ? tail * 0x1p-65 : __builtin_fma(tail, -0x1p-65, 1.0);
  return __builtin_fabs(x) < 0.5 ? near : far;
})",
     "normal_tail_f64 erf_f64"},
    {"ndtr_f32", "float ndtr_f32(float x) { return (float)ndtr_f64((double)x); }", "ndtr_f64"},
    // x ndtr(x), with the bound for -0 at -inf; the product is denormal only where the result is.
    {"gelu_f64", R"(double gelu_f64(double x) {
  const double b = x < -40.0 ? -40.0 : x;
  const double tail = normal_tail_f64(__builtin_fabs(b));
  return b < 0.0 ? b * tail * 0x1p-65 : b * __builtin_fma(tail, -0x1p-65, 1.0);
})",
     "normal_tail_f64"},
    {"gelu_f32", "float gelu_f32(float x) { return (float)gelu_f64((double)x); }", "gelu_f64"},
};

}  // namespace

std::span<const function_template> cpu_special() { return table; }

}  // namespace sinter::inline v0::codegen
