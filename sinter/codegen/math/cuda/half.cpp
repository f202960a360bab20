// CUDA text for expressions of half type. They are computed in float and rounded to 8 or 11 bits when stored,
// so float's own functions are more accurate than needed. These have an error below 1/16 of a unit in the
// last place of the half type (ex2.approx and tanh.approx: PTX ISA, relative errors of 2^-22 and 2^-11) and
// take a few instructions each. Strict arithmetic rounds every operation to the half type, so it can use
// them, too.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // x log2(e) is computed with its rounding error, so that the result stays accurate for large |x|.
    {"exp_half", R"(float exp_half(float x) {
  const float t = x * 1.4426950216f;
  const float low = fmaf(x, 1.4426950216f, -t) + x * 1.9259629911e-8f;
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(t));
  return fabsf(t) < 1024.0f ? r * fmaf(low, 0.693147181f, 1.0f) : r;
})"},
    {"exp_f16", "float exp_f16(float x) { return exp_half(x); }", "exp_half"},
    {"exp_bf16", "float exp_bf16(float x) { return exp_half(x); }", "exp_half"},
    {"exp2_f16", R"(float exp2_f16(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"exp2_bf16", R"(float exp2_bf16(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
    {"tanh_bf16", R"(float tanh_bf16(float x) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
})"},
};

}  // namespace

std::span<const function_template> cuda_half() { return table; }

}  // namespace sinter::inline v0::codegen
