// CUDA text: NVRTC's built-in functions, which need no header. With --fmad=false they keep their documented
// accuracy, because they are written with explicit fused multiply-adds.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";

constexpr function_template table[] = {
    {"exp_$S", "$T exp_$S($T x) { return exp$F(x); }", "", floats},
    {"exp2_$S", "$T exp2_$S($T x) { return exp2$F(x); }", "", floats},
    {"expm1_$S", "$T expm1_$S($T x) { return expm1$F(x); }", "", floats},
    {"log_f64", "double log_f64(double x) { return log(x); }"},
    // The method and the polynomial of cpu/logarithm.cpp, with the exponent left in place: 0.88 ulp.
    {"log_fast_f32", R"(float log_fast_f32(float x) {
  const int exponent = (__float_as_int(x) - 0x3f3504f3) & ~0x7fffff;
  const float f = __int_as_float(__float_as_int(x) - exponent) - 1.0f;
  float p = 0x1.b54d84p-5f;
  p = fmaf(p, f, -0x1.bf1b7ap-4f);
  p = fmaf(p, f, 0x1.eff7fep-4f);
  p = fmaf(p, f, -0x1.01049p-3f);
  p = fmaf(p, f, 0x1.23032cp-3f);
  p = fmaf(p, f, -0x1.552f16p-3f);
  p = fmaf(p, f, 0x1.99a542p-3f);
  p = fmaf(p, f, -0x1.00007p-2f);
  p = fmaf(p, f, 0x1.555548p-2f);
  p = fmaf(p, f, -0.5f);
  return fmaf((float)exponent, 0x1.62e43p-24f, fmaf(f * p, f, f));
})"},
    {"log_has_fast_f32",
     "bool log_has_fast_f32(float x) { return (x >= 0x1p-126f) & (x <= 0x1.fffffep127f); }"},
    {"log_f32", R"(float log_f32(float x) {
  const bool tiny = x < 0x1p-126f;
  const float inside = log_fast_f32(tiny ? x * 0x1p25f : x) - (tiny ? 0x1.154246p+4f : 0.0f);
  const float infinity = __int_as_float(0x7f800000);
  const float above = x < infinity ? inside : x;
  return x > 0.0f ? above : x == 0.0f ? -infinity : __int_as_float(0x7fffffff);
})",
     "log_fast_f32", "", "log_fast_f32", "log_has_fast_f32"},
    {"log2_$S", "$T log2_$S($T x) { return log2$F(x); }", "", floats},
    {"log10_$S", "$T log10_$S($T x) { return log10$F(x); }", "", floats},
    {"log1p_$S", "$T log1p_$S($T x) { return log1p$F(x); }", "", floats},
    {"expit_$S", R"($T expit_$S($T x) {
  const $T e = exp$F(-fabs$F(x));
  return (x < 0 ? e : ($T)1) / (1 + e);
})",
     "", floats},
    // Near 1/2 this is the logarithm of a number near 1: 2x - 1 is exact there and determines the result.
    {"logit_$S", R"($T logit_$S($T x) {
  const bool central = x > ($T)0.25 && x < ($T)0.75;
  return central ? log1p$F((x + x - 1) / (1 - x)) : log$F(x / (1 - x));
})",
     "", floats},

    {"sin_$S", "$T sin_$S($T x) { return sin$F(x); }", "", floats},
    {"cos_$S", "$T cos_$S($T x) { return cos$F(x); }", "", floats},
    {"tan_$S", "$T tan_$S($T x) { return tan$F(x); }", "", floats},
    {"arcsin_$S", "$T arcsin_$S($T x) { return asin$F(x); }", "", floats},
    {"arccos_$S", "$T arccos_$S($T x) { return acos$F(x); }", "", floats},
    {"arctan_$S", "$T arctan_$S($T x) { return atan$F(x); }", "", floats},
    {"arctan2_$S", "$T arctan2_$S($T y, $T x) { return atan2$F(y, x); }", "", floats},
    {"sinh_$S", "$T sinh_$S($T x) { return sinh$F(x); }", "", floats},
    {"cosh_$S", "$T cosh_$S($T x) { return cosh$F(x); }", "", floats},
    {"tanh_$S", "$T tanh_$S($T x) { return tanh$F(x); }", "", floats},
    {"arcsinh_$S", "$T arcsinh_$S($T x) { return asinh$F(x); }", "", floats},
    {"arccosh_$S", "$T arccosh_$S($T x) { return acosh$F(x); }", "", floats},
    {"arctanh_$S", "$T arctanh_$S($T x) { return atanh$F(x); }", "", floats},

    // for an exponent that is the same in all threads: the branch is uniform
    {"power_uniform_$S", R"($T power_uniform_$S($T x, $T y) {
  if (y == ($T)2) return x * x;
  if (y == ($T)3) return x * x * x;
  if (y == ($T)0.5) return isinf(x) ? fabs$F(x) : sqrt$F(x + ($T)0);
  if (y == ($T)-1) return ($T)1 / x;
  return pow$F(x, y);
})",
     "", floats},
    {"power_$S", "$T power_$S($T x, $T y) { return pow$F(x, y); }", "", floats},
    {"sqrt_f64", "double sqrt_f64(double x) { return sqrt(x); }"},
    // Fast paths of division and square root: for arguments well inside the range every step is exact or
    // correctly rounded (Markstein 1990), and nothing branches, so that the lanes of a thread are evaluated
    // in parallel. Bits are those of the compiler's own sequences.
    {"true_divide_fast_f32", R"(float true_divide_fast_f32(float x, float y) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
  r = fmaf(fmaf(-y, r, 1.0f), r, r);
  const float q = x * r;
  return fmaf(fmaf(-y, q, x), r, q);
})"},
    // Scaling x by a power of two scales every step as long as quotient and remainder are normal: here down
    // to 2^-85.
    {"true_divide_has_fast_f32", R"(bool true_divide_has_fast_f32(float x, float y) {
  const bool x_has_fast = ((fabsf(x) >= 0x1p-85f) & (fabsf(x) <= 0x1p85f)) | (__float_as_uint(x) == 0u);
  return x_has_fast & (fabsf(y) >= 0x1p-40f) & (fabsf(y) <= 0x1p40f);
})"},
    {"true_divide_f32", "float true_divide_f32(float x, float y) { return x / y; }", "", "",
     "true_divide_fast_f32", "true_divide_has_fast_f32"},
    {"reciprocal_fast_f32", R"(float reciprocal_fast_f32(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return fmaf(fmaf(-x, r, 1.0f), r, r);
})"},
    {"reciprocal_has_fast_f32",
     "bool reciprocal_has_fast_f32(float x) { return (fabsf(x) >= 0x1p-40f) & (fabsf(x) <= 0x1p40f); }"},
    {"reciprocal_f32", "float reciprocal_f32(float x) { return 1.0f / x; }", "", "", "reciprocal_fast_f32",
     "reciprocal_has_fast_f32"},
    {"sqrt_fast_f32", R"(float sqrt_fast_f32(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fmaxf(x, 0x1p-80f)));
  const float root = x * r, half = 0.5f * r;
  return fmaf(fmaf(-root, root, x), half, root);
})"},
    // Zeros are common, as what is left of negative numbers: they do not take the slow way.
    {"sqrt_has_fast_f32", R"(bool sqrt_has_fast_f32(float x) {
  return ((x >= 0x1p-80f) & (x <= 0x1p80f)) | (__float_as_uint(x) == 0u);
})"},
    {"sqrt_f32", "float sqrt_f32(float x) { return sqrtf(x); }", "", "", "sqrt_fast_f32",
     "sqrt_has_fast_f32"},
    {"rsqrt_$S", "$T rsqrt_$S($T x) { return rsqrt$F(x); }", "", floats},
    {"cbrt_$S", "$T cbrt_$S($T x) { return cbrt$F(x); }", "", floats},
    {"hypot_f32", "float hypot_f32(float x, float y) { return hypotf(x, y); }"},
    // The built-in function overflows near the largest numbers. Squares are used where both ends of the range
    // are far.
    {"hypot_f64", R"(double hypot_f64(double x, double y) {
  const double a = fabs(x), b = fabs(y), large = fmax(a, b), small = fmin(a, b);
  const double scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1.0;
  const double u = large * scale, v = small * scale, root = sqrt(fma(u, u, v * v));
  const double r = large > 0x1p500 ? root * 0x1p600 : large < 0x1p-400 ? root * 0x1p-600 : root;
  const double infinite = __longlong_as_double(0x7ff0000000000000ll);
  return large == infinite ? infinite : x != x || y != y ? x + y : r;
})"},
    {"erf_f64", "double erf_f64(double x) { return erf(x); }"},
    // Evaluates both polynomials of cpu/special.cpp: their coefficients are immediate operands, while one
    // polynomial with selected coefficients (as in the compiler's own erf) needs a select for each.
    {"erf_f32", R"(float erf_f32(float x) {
  const float a = fabsf(x), s = a * a;
  float p = -0x1.3f7028p-11f;
  p = fmaf(p, s, 0x1.487f94p-8f);
  p = fmaf(p, s, -0x1.b6c09p-6f);
  p = fmaf(p, s, 0x1.ce1df4p-4f);
  p = fmaf(p, s, -0x1.8126fap-2f);
  p = fmaf(p, s, 0x1.06eba6p-3f);
  const float near = fmaf(a, p, a);
  float q = -0x1.f85b2ep-16f;
  q = fmaf(q, a, 0x1.465cb4p-11f);
  q = fmaf(q, a, -0x1.88feecp-8f);
  q = fmaf(q, a, 0x1.286c64p-5f);
  q = fmaf(q, a, -0x1.3fc102p-3f);
  q = fmaf(q, a, -0x1.d3de18p-1f);
  q = fmaf(q, a, -0x1.a12766p+0f);
  q = fmaf(q, a, 0x1.fff0b2p-13f);
  float tail;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(tail) : "f"(q));
  return copysignf(a >= 0.9f ? 1.0f - tail : near, x);
})"},
    {"erfc_$S", "$T erfc_$S($T x) { return erfc$F(x); }", "", floats},
    {"erfinv_$S", "$T erfinv_$S($T x) { return erfinv$F(x); }", "", floats},
    {"tgamma_$S", "$T tgamma_$S($T x) { return tgamma$F(x); }", "", floats},
    {"gammaln_$S", "$T gammaln_$S($T x) { return lgamma$F(x); }", "", floats},
    {"ndtr_$S", "$T ndtr_$S($T x) { return normcdf$F(x); }", "", floats},
    // with a bound, for -0 at -inf
    {"gelu_$S", R"($T gelu_$S($T x) {
  const $T b = x < -40 ? ($T)-40 : x;
  return b * normcdf$F(b);
})",
     "", floats},

    {"rint_$S", "$T rint_$S($T x) { return rint$F(x); }", "", floats},
    {"floor_$S", "$T floor_$S($T x) { return floor$F(x); }", "", floats},
    {"ceil_$S", "$T ceil_$S($T x) { return ceil$F(x); }", "", floats},
    {"trunc_$S", "$T trunc_$S($T x) { return trunc$F(x); }", "", floats},
    {"fma_$S", "$T fma_$S($T x, $T y, $T z) { return fma$F(x, y, z); }", "", floats},
    {"absolute_$S", "$T absolute_$S($T x) { return fabs$F(x); }", "", floats},
    {"copysign_$S", "$T copysign_$S($T x, $T y) { return copysign$F(x, y); }", "", floats},
    {"fmod_$S", "$T fmod_$S($T x, $T y) { return fmod$F(x, y); }", "", floats},
    {"bit_count_$S",
     "unsigned char bit_count_$S($T x) { return (unsigned char)__popc(($P)($U)absolute_$S(x)); }",
     "absolute_$S", "i8 i16 i32 u8 u16 u32"},
    {"bit_count_$S",
     "unsigned char bit_count_$S($T x) { return (unsigned char)__popcll(($U)absolute_$S(x)); }",
     "absolute_$S", "i64 u64"},

    // One instruction on sm_80 or later; it orders zeros as the common text does.
    {"minimum_f32", R"(float minimum_f32(float x, float y) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
})"},
    {"maximum_f32", R"(float maximum_f32(float x, float y) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
})"},
    // By instruction: of two constants the compiler takes 0 for the smaller of 0 and -0.
    {"fmin_f32", R"(float fmin_f32(float x, float y) {
  float r;
  asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
})"},
    {"fmin_f64", R"(double fmin_f64(double x, double y) {
  double r;
  asm("min.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y));
  return r;
})"},
    {"fmax_f32", R"(float fmax_f32(float x, float y) {
  float r;
  asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
})"},
    {"fmax_f64", R"(double fmax_f64(double x, double y) {
  double r;
  asm("max.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y));
  return r;
})"},
};

}  // namespace

std::span<const function_template> cuda_math() { return table; }

}  // namespace sinter::inline v0::codegen
