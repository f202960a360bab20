// CUDA text of fast mode: the hardware's approximations, float only. Their errors, from the CUDA C++
// Programming Guide (intrinsic functions) and the PTX ISA: ex2 2 ulp, exp 2 + |1.2 x| ulp, logarithms 2^-21
// absolute near 1 and 3 ulp elsewhere, sin and cos 2^-20 absolute, tanh 2^-11 relative, division, reciprocal
// and roots 1 to 2 ulp. Zeros, infinities and NaN give what they give in standard mode.

#include "tables.hpp"

namespace sinter::codegen {
namespace {

constexpr function_template table[] = {
    {"exp_f32", "float exp_f32(float x) { return __expf(x); }"},
    {"exp2_f32", R"(float exp2_f32(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"log_f32", "float log_f32(float x) { return __logf(x); }"},
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
    // The hardware's sine loses absolute accuracy with the argument's size; whole turns are taken off first,
    // which holds 2^-20 up to about 10^5.
    {"whole_turns_off_f32", R"(float whole_turns_off_f32(float x) {
  const float turns = rintf(x * 0x1.45f306p-3f);
  return fmaf(turns, 0x1.777a5cp-23f, fmaf(turns, -0x1.921fb6p+2f, x));
})"},
    {"sin_f32", "float sin_f32(float x) { return __sinf(whole_turns_off_f32(x)); }", "whole_turns_off_f32"},
    {"cos_f32", "float cos_f32(float x) { return __cosf(whole_turns_off_f32(x)); }", "whole_turns_off_f32"},
    {"tan_f32", R"(float tan_f32(float x) {
  const float angle = whole_turns_off_f32(x);
  return true_divide_f32(__sinf(angle), __cosf(angle));
})",
     "whole_turns_off_f32 true_divide_f32"},
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
    // The accurate log2: its error is multiplied by y.
    {"power_f32", R"(float power_f32(float x, float y) {
  const float half = 0.5f * y;
  const bool whole = rintf(y) == y, odd = whole && rintf(half) != half;
  const float r = exp2_f32(y * log2f(fabsf(x)));
  const float y_of_sign = x < 0.0f && !whole ? r * (0.0f / 0.0f) : odd ? copysignf(r, x) : r;
  const bool one = x == 1.0f || y == 0.0f || (x == -1.0f && fabsf(y) == __int_as_float(0x7f800000));
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

}  // namespace sinter::codegen
