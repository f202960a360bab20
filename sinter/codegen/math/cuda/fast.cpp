// CUDA text of fast mode: the hardware's approximations, float only. Their errors, from the CUDA C++
// Programming Guide (intrinsic functions) and the PTX ISA: ex2 2 ulp, exp 2 + |1.2 x| ulp, logarithms 2^-21
// absolute near 1 and 3 ulp elsewhere, sin and cos 2^-20 absolute, tanh 2^-11 relative, division, reciprocal
// and roots 1 to 2 ulp over the whole range, denormal numbers included (div.full scales its operands,
// div.approx does not). Composed of them: tan 6 ulp, sinh 2^-16 relative, cosh as exp, powers 2^-15 relative.
// expit is 0 below -88.7. Zeros, infinities and NaN give the same results as in standard mode.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"exp_f32", "float exp_f32(float x) { return __expf(x); }"},
    {"exp2_f32", R"(float exp2_f32(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"log_f32", "float log_f32(float x) { return __logf(x); }"},
    {"log_of_unit_f32", "float log_of_unit_f32(float x) { return __logf(x); }"},
    {"log2_f32", "float log2_f32(float x) { return __log2f(x); }"},
    {"log10_f32", "float log10_f32(float x) { return __log10f(x); }"},
    {"logaddexp_f32", R"(float logaddexp_f32(float x, float y) {
  const float gap = x == y ? 0.0f : fabsf(x - y);
  const float r = (x > y ? x : y) + __logf(1.0f + __expf(-gap));
  return x != x ? x : y != y ? y : r;
})"},
    {"logaddexp2_f32", R"(float logaddexp2_f32(float x, float y) {
  const float gap = x == y ? 0.0f : fabsf(x - y);
  const float r = (x > y ? x : y) + __log2f(1.0f + exp2_f32(-gap));
  return x != x ? x : y != y ? y : r;
})",
     "exp2_f32"},
    // The hardware's sine loses absolute accuracy for large arguments, so whole turns are subtracted first.
    // The first product is exact in the fma and so is the difference, a multiple of 2^-21 below 4: up to 2^17
    // the angle exceeds pi by at most 2^-8 and has an error of 2^-22. Farther out the accurate functions
    // reduce the argument.
    {"whole_turns_off_f32", R"(float whole_turns_off_f32(float x) {
  const float turns = rintf(x * 0x1.45f306p-3f);
  return fmaf(turns, 0x1.777a5cp-23f, fmaf(turns, -0x1.921fb6p+2f, x));
})"},
    {"turns_have_fast_f32", "bool turns_have_fast_f32(float x) { return fabsf(x) <= 0x1p17f; }"},
    // Clamped to ±1, whatever the hardware gives; a zero keeps its sign.
    {"sin_fast_f32", R"(float sin_fast_f32(float x) {
  const float y = fminf(fmaxf(__sinf(whole_turns_off_f32(x)), -1.0f), 1.0f);
  return x == 0.0f ? x : y;
})",
     "whole_turns_off_f32"},
    {"sin_f32", R"(float sin_f32(float x) {
  return turns_have_fast_f32(x) ? sin_fast_f32(x) : sinf(x);
})",
     "turns_have_fast_f32 sin_fast_f32", "", "sin_fast_f32", "turns_have_fast_f32"},
    // The hardware's sine is 0 for denormal numbers and for some multiples of pi, where the quotient is not.
    {"sinc_f32", R"(float sinc_f32(float x) {
  const float angle = 0x1.921fb6p+1f * x;
  const float y = sinf(angle) / angle;
  return angle == 0.0f ? 1.0f : y;
})"},
    {"cos_fast_f32", R"(float cos_fast_f32(float x) {
  return fminf(fmaxf(__cosf(whole_turns_off_f32(x)), -1.0f), 1.0f);
})",
     "whole_turns_off_f32"},
    {"cos_f32", R"(float cos_f32(float x) {
  return turns_have_fast_f32(x) ? cos_fast_f32(x) : cosf(x);
})",
     "turns_have_fast_f32 cos_fast_f32", "", "cos_fast_f32", "turns_have_fast_f32"},
    // Near a pole the tangent divides by a number near 0: the reduction and the polynomials of
    // cpu/trigonometric.cpp keep that number relatively accurate, and no float is so near a pole that it
    // becomes 0.
    {"tan_fast_f32", R"(float tan_fast_f32(float x) {
  const float quarters = rintf(x * 0x1.45f306p-1f);
  float r = fmaf(quarters, -0x1.921fb6p+0f, x);
  r = fmaf(quarters, 0x1.ee59dap-50f, fmaf(quarters, 0x1.777a5cp-25f, r));
  const float s = r * r;
  const float p = fmaf(fmaf(-0x1.990d74p-13f, s, 0x1.1106aap-7f), s, -0x1.555544p-3f);
  const float q = fmaf(fmaf(0x1.99911ep-16f, s, -0x1.6c0af4p-10f), s, 0x1.555548p-5f);
  const float sine = fmaf(r * s, p, r), cosine = fmaf(s, fmaf(s, q, -0.5f), 1.0f);
  const bool odd = ((int)quarters & 1) != 0;
  const float y = true_divide_f32(odd ? -cosine : sine, odd ? sine : cosine);
  return x == 0.0f ? x : y;
})",
     "true_divide_f32"},
    {"tan_f32", R"(float tan_f32(float x) {
  return turns_have_fast_f32(x) ? tan_fast_f32(x) : tanf(x);
})",
     "turns_have_fast_f32 tan_fast_f32", "", "tan_fast_f32", "turns_have_fast_f32"},
    {"sinh_f32", R"(float sinh_f32(float x) {
  const float a = fabsf(x), half = __expf(a - 0.69314718f);
  const float near = fmaf(a * a * a, 0.16666667f, a);
  return copysignf(a < 0.1f ? near : half - reciprocal_f32(4.0f * half), x);
})",
     "reciprocal_f32"},
    {"cosh_f32", R"(float cosh_f32(float x) {
  const float half = __expf(fabsf(x) - 0.69314718f);
  return half + reciprocal_f32(4.0f * half);
})",
     "reciprocal_f32"},
    {"tanh_f32", R"(float tanh_f32(float x) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"expit_f32", "float expit_f32(float x) { return reciprocal_f32(1.0f + __expf(-x)); }", "reciprocal_f32"},
    // Uses the accurate log2, because its error is multiplied by y.
    {"power_f32", R"(float power_f32(float x, float y) {
  const float half = 0.5f * y;
  const bool whole = rintf(y) == y, odd = whole && rintf(half) != half;
  const float r = exp2_f32(y * log2f(fabsf(x)));
  const float infinity = __int_as_float(0x7f800000);
  const bool undefined = x < 0.0f && x != -infinity && !whole;
  const float y_of_sign = undefined ? __int_as_float(0x7fffffff) : odd ? copysignf(r, x) : r;
  const bool one = x == 1.0f || y == 0.0f || (x == -1.0f && fabsf(y) == infinity);
  return one ? 1.0f : y_of_sign;
})",
     "exp2_f32"},
    {"true_divide_f32", R"(float true_divide_f32(float x, float y) {
  float r;
  asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
})"},
    {"reciprocal_f32", R"(float reciprocal_f32(float x) {
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"sqrt_f32", R"(float sqrt_f32(float x) {
  float r;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"rsqrt_f32", R"(float rsqrt_f32(float x) {
  float r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
};

}  // namespace

std::span<const function_template> cuda_fast() { return table; }

}  // namespace sinter::inline v0::codegen
