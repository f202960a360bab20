// CPU text of the conversions to and from float16: F16C instructions, which Clang generates from _Float16 and
// vectorises. Every NaN becomes the one that CUDA's cvt gives.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"load_f16", "float load_f16(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }"},
    {"store_f16", R"(unsigned short store_f16(float x) {
  const unsigned short rounded = __builtin_bit_cast(unsigned short, (_Float16)x);
  return x != x ? (unsigned short)0x7fff : rounded;
})"},
    // For what an integer may have become, without rounding. LLVM (InstCombine's isKnownExactCastIntToFP,
    // seen in 19) takes a conversion of an integer to float16 for exact when few enough digits stay between
    // its known zeros, also that of 2^31: it then leaves out the rounding that makes it infinite. Here
    // greater numbers become 65520, which has too many digits to be taken for exact, and is rounded to
    // infinity.
    {"store_bounded_f16", R"(unsigned short store_bounded_f16(float x) {
  const float most = x > 65520.0f ? 65520.0f : x;
  return store_f16(most < -65520.0f ? -65520.0f : most);
})",
     "store_f16"},
    {"store_f16_$S", "unsigned short store_f16_$S($T x) { return store_bounded_f16((float)x); }",
     "store_bounded_f16", "i32 i64 u32 u64"},
    {"store_f16_f64",
     "unsigned short store_f16_f64(double x) { return store_bounded_f16(narrow_odd_f32(x)); }",
     "narrow_odd_f32 store_bounded_f16"},
};

}  // namespace

std::span<const function_template> cpu_conversion() { return table; }

}  // namespace sinter::inline v0::codegen
