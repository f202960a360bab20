// The accuracy of functions: the largest distance from the exact value, in units in the last place of the
// exact value. Functions without a row are exact or correctly rounded.
//
// - CPU, float, one operand: all 2^32 arguments were evaluated and compared with double arithmetic; the
//   figure is the largest error found, rounded up. x86-64-v3 and x86-64-v4 (512-bit vectors) gave the same
//   bits, in vector lanes and one by one.
// - CPU, double or two operands: millions of random arguments of all sizes, and dense ones near zeros, poles
//   and branches, were compared with arithmetic of 64 bits of mantissa; the figure has a margin above the
//   largest error.
// - CUDA: the figures of the CUDA C++ Programming Guide's appendix of mathematical functions, plus half a
//   unit, because the guide compares with the correctly rounded result. Composed functions were measured on
//   compute capability 9.0, where all others were within their bounds too, compiled with --fmad=false.
// - Fast mode: cuda/fast.cpp. On the CPU only rsqrt differs; it is within the bound of standard mode plus
//   half a unit.
// - logaddexp and logaddexp2: in units of the larger of the result and the larger operand, because the two
//   terms can cancel.
// - gammaln of negative numbers: in units of the largest of the result, gammaln(-x) and 1, because the two
//   cancel near its zeros.
// - gelu on CUDA: where the result is normal it is within half a unit of ndtr; the rest is what a denormal
//   factor loses.

#include "device_functions.hpp"

namespace sinter::inline v0::codegen {
namespace {

// clang-format off
constexpr accuracy table[] = {
    // name, CPU, CUDA
    {"exp_f32", 0.9, 2.5},
    {"exp_f64", 1.0, 1.5},
    {"exp2_f32", 0.9, 2.5},
    {"exp2_f64", 1.0, 1.5},
    {"expm1_f32", 1.35, 1.5},
    {"expm1_f64", 1.4, 1.5},
    {"log_f32", 0.95, 1.5},
    {"log_f64", 1.0, 1.5},
    {"log2_f32", 1.1, 1.5},
    {"log2_f64", 1.1, 1.5},
    {"log10_f32", 1.0, 2.5},
    {"log10_f64", 1.1, 1.5},
    {"log1p_f32", 1.0, 1.5},
    {"log1p_f64", 1.0, 1.5},
    {"logaddexp_f32", 1.0, 5.5},
    {"logaddexp_f64", 2.5, 4.0},
    {"logaddexp2_f32", 1.0, 5.5},
    {"logaddexp2_f64", 3.0, 4.0},
    {"expit_f32", 1.5, 3.5},
    {"expit_f64", 1.6, 2.75},
    {"logit_f32", 0.55, 4.0},
    {"logit_f64", 1.2, 3.25},
    {"sin_f32", 1.2, 2.5},
    {"sin_f64", 1.25, 2.5},
    {"cos_f32", 1.2, 2.5},
    {"cos_f64", 1.25, 2.5},
    {"tan_f32", 1.7, 4.5},
    {"tan_f64", 1.75, 2.5},
    {"sinc_f32", 2.1, 4.0},
    {"sinc_f64", 2.25, 3.5},
    {"arcsin_f32", 0.7, 2.5},
    {"arcsin_f64", 0.75, 2.5},
    {"arccos_f32", 0.7, 2.5},
    {"arccos_f64", 0.75, 2.5},
    {"arctan_f32", 0.7, 2.5},
    {"arctan_f64", 0.75, 2.5},
    {"arctan2_f32", 1.25, 3.5},
    {"arctan2_f64", 1.25, 2.5},
    {"sinh_f32", 0.55, 3.5},
    {"sinh_f64", 1.75, 2.5},
    {"cosh_f32", 0.55, 2.5},
    {"cosh_f64", 1.5, 1.5},
    {"tanh_f32", 1.45, 2.5},
    {"tanh_f64", 2.6, 1.5},
    {"arcsinh_f32", 0.55, 3.5},
    {"arcsinh_f64", 1.5, 3.5},
    {"arccosh_f32", 0.55, 4.5},
    {"arccosh_f64", 1.8, 3.5},
    {"arctanh_f32", 0.55, 3.5},
    {"arctanh_f64", 1.25, 2.5},
    {"power_f32", 0.55, 4.5},
    {"power_f64", 1.25, 2.5},
    {"sqrt_f32", 0.5, 0.5},
    {"sqrt_f64", 0.5, 0.5},
    {"rsqrt_f32", 0.55, 2.5},
    {"rsqrt_f64", 0.55, 1.5},
    {"cbrt_f32", 0.55, 1.5},
    {"cbrt_f64", 0.55, 1.5},
    {"hypot_f32", 0.55, 3.5},
    {"hypot_f64", 1.0, 2.5},
    {"erf_f32", 1.25, 2.5},
    {"erf_f64", 1.6, 2.5},
    {"erfc_f32", 0.55, 4.5},
    {"erfc_f64", 2.25, 5.5},
    {"erfinv_f32", 0.55, 2.5},
    {"erfinv_f64", 3.0, 5.5},
    {"ndtr_f32", 0.55, 5.5},
    {"ndtr_f64", 3.0, 6.5},
    {"tgamma_f32", 0.55, 5.5},
    {"tgamma_f64", 8.0, 10.5},
    {"gammaln_f32", 0.55, 6.5},
    {"gammaln_f64", 6.0, 6.5},
    {"xlogy_f32", 2.5, 3.5},
    {"xlogy_f64", 2.5, 3.5},
    {"entr_f32", 2.5, 3.5},
    {"entr_f64", 2.5, 3.5},
    {"huber_f32", 2.0, 2.0},
    {"huber_f64", 2.0, 2.0},
    {"softplus_f32", 2.5, 5.0},
    {"softplus_f64", 2.5, 4.0},
    {"silu_f32", 4.0, 8.0},
    {"silu_f64", 4.0, 6.0},
    {"gelu_f32", 0.55, 24.0},
    {"gelu_f64", 3.5, 48.0},
    {"degrees_f32", 1.25, 1.25},
    {"degrees_f64", 1.25, 1.25},
    {"normal_of_bits_u32", 5.0, 6.0},
    {"normal_of_bits_u64", 5.0, 6.0},
    {"radians_f32", 1.25, 1.25},
    {"radians_f64", 1.25, 1.25},
};
// clang-format on

}  // namespace

std::span<const accuracy> accuracies() { return table; }

}  // namespace sinter::inline v0::codegen
