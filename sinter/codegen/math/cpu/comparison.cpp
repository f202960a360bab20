// CPU text of minimum and maximum by a bound that the text states.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

// As in common/comparison.cpp for float64; CUDA has one instruction for any float32.
constexpr function_template table[] = {
    {"minimum_bound_f32", "float minimum_bound_f32(float x, float y) { return x > y ? y : x; }"},
    {"maximum_bound_f32", "float maximum_bound_f32(float x, float y) { return x <= y ? y : x; }"},
    {"clip_bound_f32",
     "float clip_bound_f32(float x, float low, float high) "
     "{ return minimum_bound_f32(maximum_bound_f32(x, low), high); }",
     "minimum_bound_f32 maximum_bound_f32"},
};

}  // namespace

std::span<const function_template> cpu_comparison() { return table; }

}  // namespace sinter::inline v0::codegen
