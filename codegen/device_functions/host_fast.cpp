// Host text of fast mode, where it is worth something: the trigonometric functions without their far
// reduction. Their accuracy holds up to 2^17 (float) and 2^36 (double) and decays beyond, as that of CUDA's
// __sinf does.

#include "tables.hpp"

namespace sinter::codegen {
namespace {

constexpr function_template table[] = {
    {"sin_$S", "$T sin_$S($T x) { return sin_near_$S(x); }", "sin_near_$S", "f32 f64"},
    {"cos_$S", "$T cos_$S($T x) { return cos_near_$S(x); }", "cos_near_$S", "f32 f64"},
    {"tan_$S", "$T tan_$S($T x) { return tan_near_$S(x); }", "tan_near_$S", "f32 f64"},
    {"rsqrt_$S", "$T rsqrt_$S($T x) { return ($T)1 / __builtin_sqrt$F(x); }", "", "f32 f64"},
};

}  // namespace

std::span<const function_template> host_fast() { return table; }

}  // namespace sinter::codegen
