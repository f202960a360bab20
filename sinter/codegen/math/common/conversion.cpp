// Conversions that both targets share: saturating casts of floats to integers (NaN gives 0, or true for
// bool), and conversions to bfloat16 that no instruction does in one rounding.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // Only values that fit reach the C++ conversion, which is undefined for others.
    {"cast_f32_$S", R"($T cast_f32_$S(float x) {
  const float top = (float)(1ull << ($W - 1));
  const bool fits = x < top && x >= -top;
  const $T inside = ($T)(fits ? x : 0.0f);
  const $U least = ($U)(($U)1 << ($W - 1));
  return fits ? inside : x >= top ? ($T)(least - 1) : x < -top ? ($T)least : ($T)0;
})",
     "", "i8 i16 i32 i64"},
    {"cast_f32_$S", R"($T cast_f32_$S(float x) {
  const float top = 2.0f * (float)(1ull << ($W - 1));
  const bool fits = x < top && x > 0.0f;
  const $T inside = ($T)(fits ? x : 0.0f);
  return x >= top ? ($T)~($T)0 : inside;
})",
     "", "u8 u16 u32 u64"},
    {"cast_f64_$S", R"($T cast_f64_$S(double x) {
  const double top = (double)(1ull << ($W - 1));
  const bool fits = x < top && x >= -top;
  const $T inside = ($T)(fits ? x : 0.0);
  const $U least = ($U)(($U)1 << ($W - 1));
  return fits ? inside : x >= top ? ($T)(least - 1) : x < -top ? ($T)least : ($T)0;
})",
     "", "i8 i16 i32 i64"},
    {"cast_f64_$S", R"($T cast_f64_$S(double x) {
  const double top = 2.0 * (double)(1ull << ($W - 1));
  const bool fits = x < top && x > 0.0;
  const $T inside = ($T)(fits ? x : 0.0);
  return x >= top ? ($T)~($T)0 : inside;
})",
     "", "u8 u16 u32 u64"},
    {"cast_$S_b8", "bool cast_$S_b8($T x) { return x != 0; }", "", "f32 f64"},

    {"load_bf16",
     "float load_bf16(unsigned short x) { return __builtin_bit_cast(float, (unsigned int)x << 16); }"},
    // Adds half a unit, biased by the last bit kept, and drops the low half: to nearest, ties to even. Every
    // NaN becomes the one that cvt gives.
    {"store_bf16", R"(unsigned short store_bf16(float x) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, x);
  const unsigned int rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (unsigned short)(x != x ? 0x7fffu : rounded);
})"},
    // double to float, rounded to odd: a later rounding to at most 22 bits then equals a single rounding
    // (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding
    // to odd", 2008).
    {"narrow_odd_f32", R"(float narrow_odd_f32(double x) {
  const float nearest = (float)x;
  const double back = nearest;
  const unsigned int bits = __builtin_bit_cast(unsigned int, nearest);
  const bool outward = (x < 0.0 ? -x : x) > (back < 0.0 ? -back : back);
  const bool exact = back == x || x != x || (bits & 1u) != 0u;
  return __builtin_bit_cast(float, exact ? bits : outward ? bits + 1u : bits - 1u);
})"},
    {"store_bf16_f64", "unsigned short store_bf16_f64(double x) { return store_bf16(narrow_odd_f32(x)); }",
     "narrow_odd_f32 store_bf16"},
    // Integers of more than 24 bits must not pass through a rounded float. Those of more than 53 bits collect
    // the low 12 bits in one sticky bit, so that double holds numbers of 64 bits. (float16 needs none of
    // this: an integer that float does not hold exactly is infinite there.)
    {"store_bf16_$S", "unsigned short store_bf16_$S($T x) { return store_bf16_f64((double)x); }",
     "store_bf16_f64", "i32 u32"},
    {"store_bf16_$S", R"(unsigned short store_bf16_$S($T x) {
  const $U bits = ($U)x;
  const $U sticky = (bits & ~($U)4095) | ((bits & 4095) != 0 ? ($U)2048 : ($U)0);
  const $U magnitude = x < 0 ? ($U)0 - bits : bits;
  return store_bf16_f64((double)($T)((magnitude >> 53) != 0 ? sticky : bits));
})",
     "store_bf16_f64", "i64 u64"},
};

}  // namespace

std::span<const function_template> common_conversion() { return table; }

}  // namespace sinter::inline v0::codegen
