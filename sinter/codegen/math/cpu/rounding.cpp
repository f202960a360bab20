// CPU text of functions that CUDA has built in or computes differently: rounding, remainders, integer
// division.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";

constexpr function_template table[] = {
    {"rint_$S", "$T rint_$S($T x) { return __builtin_rint$F(x); }", "", floats},
    {"floor_$S", "$T floor_$S($T x) { return __builtin_floor$F(x); }", "", floats},
    {"ceil_$S", "$T ceil_$S($T x) { return __builtin_ceil$F(x); }", "", floats},
    {"trunc_$S", "$T trunc_$S($T x) { return __builtin_trunc$F(x); }", "", floats},
    {"fma_$S", "$T fma_$S($T x, $T y, $T z) { return __builtin_fma$F(x, y, z); }", "", floats},

    {"bit_count_$S",
     "unsigned char bit_count_$S($T x) { return (unsigned char)__builtin_popcountg(($U)absolute_$S(x)); }",
     "absolute_$S", "i8 i16 i32 i64 u8 u16 u32 u64"},

    // Vector units cannot divide integers, so these divide floats with enough bits that truncation is exact:
    // a quotient that is not an integer has a relative distance of at least 1 / |x| from every integer.
    {"trunc_divide_$S", R"($T trunc_divide_$S($T x, $T y) {
  const $T q = ($T)(int)((float)x / (float)(y == 0 ? ($T)1 : y));
  return y == 0 ? ($T)0 : q;
})",
     "", "i8 i16 u8 u16"},
    {"trunc_divide_i32", R"(int trunc_divide_i32(int x, int y) {
  const int q = (int)((double)x / (double)(y == 0 || y == -1 ? 1 : y));
  return y == 0 ? 0 : y == -1 ? (int)(0u - (unsigned int)q) : q;
})"},
    {"trunc_divide_u32", R"(unsigned int trunc_divide_u32(unsigned int x, unsigned int y) {
  const unsigned int q = (unsigned int)((double)x / (double)(y == 0u ? 1u : y));
  return y == 0u ? 0u : q;
})"},

    // Subtracts q y for an integer q of 53 bits, six times: each step leaves at most 2^-51 of the rest, and
    // |x / y| < 2^277. Every difference is exact: it has at most 25 bits. Because q is rounded to nearest,
    // the rest can be negative at the end.
    {"fmod_f32", R"(float fmod_f32(float x, float y) {
  const double a = __builtin_fabs((double)x), b = __builtin_fabs((double)y);
  const double inverse = 1.0 / b;
  double r = __builtin_fma(-__builtin_rint(a * inverse), b, a);
  r = __builtin_fma(-__builtin_rint(r * inverse), b, r);
  r = __builtin_fma(-__builtin_rint(r * inverse), b, r);
  r = __builtin_fma(-__builtin_rint(r * inverse), b, r);
  r = __builtin_fma(-__builtin_rint(r * inverse), b, r);
  r = __builtin_fma(-__builtin_rint(r * inverse), b, r);
  r = r < 0.0 ? r + b : r;
  return a < b ? x : __builtin_copysignf((float)r, x);
})"},
    // Quotients of doubles reach 2^2098. One step is enough below 2^51: the fast path does that. The full
    // form subtracts multiples of y 2^n in a loop and does not vectorise.
    {"fmod_has_fast_f64", R"(bool fmod_has_fast_f64(double x, double y) {
  return __builtin_fabs(x) <= __builtin_fabs(y) * 0x1p51;
})"},
    {"fmod_fast_f64", R"(double fmod_fast_f64(double x, double y) {
  const double a = __builtin_fabs(x), b = __builtin_fabs(y);
  double r = __builtin_fma(-__builtin_rint(a / b), b, a);
  r = r < 0.0 ? r + b : r;
  return a < b ? x : __builtin_copysign(r, x);
})"},
    {"fmod_f64", R"(double fmod_f64(double x, double y) {
  const double b = __builtin_fabs(y);
  const bool tiny = b < 0x1p-1022;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? b * 0x1p53 : b);
  const int low = (int)(bits >> 52) - (tiny ? 53 : 0);
  double r = __builtin_fabs(x);
  while (r > b * 0x1p51 && r < __builtin_inf() && b > 0.0) {
    const int shift = (int)(__builtin_bit_cast(unsigned long long, r) >> 52) - low - 51;
    const int half = shift >> 1;
    const double c = b * __builtin_bit_cast(double, (unsigned long long)(half + 1023) << 52) *
                     __builtin_bit_cast(double, (unsigned long long)(shift - half + 1023) << 52);
    r = __builtin_fma(-__builtin_rint(r / c), c, r);
    r = r < 0.0 ? r + c : r;
  }
  return fmod_fast_f64(__builtin_copysign(r, x), y);
})",
     "fmod_fast_f64", "", "fmod_fast_f64", "fmod_has_fast_f64"},
    {"remainder_fast_f64",
     "double remainder_fast_f64(double x, double y) { return remainder_from_f64(y, fmod_fast_f64(x, y)); }",
     "fmod_fast_f64 remainder_from_f64"},
    {"remainder_f64",
     "double remainder_f64(double x, double y) { return remainder_from_f64(y, fmod_f64(x, y)); }",
     "fmod_f64 remainder_from_f64", "", "remainder_fast_f64", "fmod_has_fast_f64"},
    {"floor_divide_fast_f64",
     "double floor_divide_fast_f64(double x, double y) { return floor_divide_from_f64(x, y, fmod_fast_f64(x, "
     "y)); }",
     "fmod_fast_f64 floor_divide_from_f64"},
    {"floor_divide_f64",
     "double floor_divide_f64(double x, double y) { return floor_divide_from_f64(x, y, fmod_f64(x, y)); }",
     "fmod_f64 floor_divide_from_f64", "", "floor_divide_fast_f64", "fmod_has_fast_f64"},
    {"trunc_divide_fast_f64",
     "double trunc_divide_fast_f64(double x, double y) { return trunc_divide_from_f64(x, y, fmod_fast_f64(x, "
     "y)); }",
     "fmod_fast_f64 trunc_divide_from_f64"},
    {"trunc_divide_f64",
     "double trunc_divide_f64(double x, double y) { return trunc_divide_from_f64(x, y, fmod_f64(x, y)); }",
     "fmod_f64 trunc_divide_from_f64", "", "trunc_divide_fast_f64", "fmod_has_fast_f64"},
};

}  // namespace

std::span<const function_template> cpu_rounding() { return table; }

}  // namespace sinter::inline v0::codegen
