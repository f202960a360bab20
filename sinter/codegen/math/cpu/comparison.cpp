// CPU text of minimum and maximum.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // As in common/comparison.cpp, with a NaN of all bits where one operand is NaN: a mask is that already.
    {"maximum_$S", R"($T maximum_$S($T x, $T y) {
  const $T a = x > y ? x : y, b = y > x ? y : x;
  const $U both = __builtin_bit_cast($U, a) & __builtin_bit_cast($U, b);
  return __builtin_bit_cast($T, (x != x) | (y != y) ? ~($U)0 : both);
})",
     "", "f32 f64"},
    // As for float64 in common/comparison.cpp; CUDA has one instruction for any float32.
    {"minimum_bound_f32", "float minimum_bound_f32(float x, float y) { return x > y ? y : x; }"},
    {"maximum_bound_f32",
     "float maximum_bound_f32(float x, float y) { return y == 0.0f ? x <= y ? y : x : x < y ? y : x; }"},
    {"clip_bound_f32",
     "float clip_bound_f32(float x, float low, float high) "
     "{ return minimum_bound_f32(maximum_bound_f32(x, low), high); }",
     "minimum_bound_f32 maximum_bound_f32"},
};

}  // namespace

std::span<const function_template> cpu_comparison() { return table; }

}  // namespace sinter::inline v0::codegen
