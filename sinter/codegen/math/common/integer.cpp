// Integer functions. Nothing traps and nothing is undefined: arithmetic is unsigned and wraps, division by
// zero gives 0, the least integer divided by -1 is itself, shifts by the width or more give 0 or the sign.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view signed_types = "i8 i16 i32 i64";
constexpr std::string_view unsigned_types = "u8 u16 u32 u64";
constexpr std::string_view integers = "i8 i16 i32 i64 u8 u16 u32 u64";

constexpr function_template table[] = {
    {"negative_$S", "$T negative_$S($T x) { return ($T)(($P)0 - ($P)x); }", "", integers},
    {"absolute_$S", "$T absolute_$S($T x) { return x < 0 ? ($T)(($P)0 - ($P)x) : x; }", "", signed_types},
    {"absolute_$S", "$T absolute_$S($T x) { return x; }", "", "b8 u8 u16 u32 u64"},
    {"sign_$S", "$T sign_$S($T x) { return ($T)((x > 0) - (x < 0)); }", "", signed_types},
    {"sign_$S", "$T sign_$S($T x) { return ($T)(x != 0); }", "", unsigned_types},
    {"square_$S", "$T square_$S($T x) { return ($T)(($P)x * ($P)x); }", "", integers},
    {"square_b8", "bool square_b8(bool x) { return x; }"},
    {"reciprocal_$S", "$T reciprocal_$S($T x) { return x == 1 || x == ($T)-1 ? x : ($T)0; }", "",
     signed_types},
    {"reciprocal_$S", "$T reciprocal_$S($T x) { return ($T)(x == 1); }", "", unsigned_types},
    {"bitwise_not_$S", "$T bitwise_not_$S($T x) { return ($T)~x; }", "", integers},
    {"bitwise_not_b8", "bool bitwise_not_b8(bool x) { return !x; }"},

    {"trunc_divide_$S", R"($T trunc_divide_$S($T x, $T y) {
  const $T divisor = y == 0 || y == ($T)-1 ? ($T)1 : y;
  const $T q = ($T)(x / divisor);
  return y == 0 ? ($T)0 : y == ($T)-1 ? ($T)(($P)0 - ($P)q) : q;
})",
     "", signed_types},
    {"trunc_divide_$S", R"($T trunc_divide_$S($T x, $T y) {
  const $T q = ($T)(x / (y == 0 ? ($T)1 : y));
  return y == 0 ? ($T)0 : q;
})",
     "", unsigned_types},
    {"fmod_$S", R"($T fmod_$S($T x, $T y) {
  const $T r = ($T)(($P)x - ($P)trunc_divide_$S(x, y) * ($P)y);
  return y == 0 ? ($T)0 : r;
})",
     "trunc_divide_$S", integers},
    {"floor_divide_$S", R"($T floor_divide_$S($T x, $T y) {
  const $T q = trunc_divide_$S(x, y);
  const $T r = ($T)(($P)x - ($P)q * ($P)y);
  const bool below = r != 0 && (r < 0) != (y < 0) && y != 0;
  return ($T)(($P)q - ($P)below);
})",
     "trunc_divide_$S", signed_types},
    {"floor_divide_$S", "$T floor_divide_$S($T x, $T y) { return trunc_divide_$S(x, y); }", "trunc_divide_$S",
     unsigned_types},
    {"remainder_$S", R"($T remainder_$S($T x, $T y) {
  const $T r = fmod_$S(x, y);
  return r != 0 && (r < 0) != (y < 0) ? ($T)(($P)r + ($P)y) : r;
})",
     "fmod_$S", signed_types},
    {"remainder_$S", "$T remainder_$S($T x, $T y) { return fmod_$S(x, y); }", "fmod_$S", unsigned_types},

    // By squaring, modulo 2^width. A negative exponent gives the integer part of the exact value: 0, except
    // for 1 and -1 (NumPy raises an error, which a kernel cannot). A loop, so it does not vectorise.
    // NVRTC would unroll all 63 steps of a literal exponent, and then compile for minutes.
    {"power_$S", R"($T power_$S($T x, $T y) {
  $P result = 1, base = ($P)x;
#ifdef __CUDACC_RTC__
#pragma unroll 8
#endif
  for ($U rest = y < 0 ? ($U)0 : ($U)y; rest != 0; rest = ($U)(rest >> 1)) {
    result = (rest & 1) != 0 ? result * base : result;
    base = base * base;
  }
  const $T inverse = x == 1 ? ($T)1 : x == ($T)-1 ? ((y & 1) != 0 ? ($T)-1 : ($T)1) : ($T)0;
  return y < 0 ? inverse : ($T)result;
})",
     "", signed_types},
    {"power_$S", R"($T power_$S($T x, $T y) {
  $P result = 1, base = ($P)x;
#ifdef __CUDACC_RTC__
#pragma unroll 8
#endif
  for ($T rest = y; rest != 0; rest = ($T)(rest >> 1)) {
    result = (rest & 1) != 0 ? result * base : result;
    base = base * base;
  }
  return ($T)result;
})",
     "", unsigned_types},

    // No shift is undefined, not even where its result is not chosen: LLVM 19 divides by it first on AVX-512,
    // as if it were never 0 (the corpus has quotients_by_shifts).
    {"left_shift_$S", R"($T left_shift_$S($T x, $T y) {
  const bool inside = ($U)y < $W;
  return inside ? ($T)(($P)x << ($P)(y & ($W - 1))) : ($T)0;
})",
     "", integers},
    {"right_shift_$S", R"($T right_shift_$S($T x, $T y) {
  return ($T)(x >> ($P)(($U)y < $W ? y : $W - 1));
})",
     "", signed_types},
    {"right_shift_$S", R"($T right_shift_$S($T x, $T y) {
  const bool inside = y < $W;
  return inside ? ($T)(x >> (y & ($W - 1))) : ($T)0;
})",
     "", unsigned_types},

    // Euclid's algorithm on magnitudes; a loop, so it does not vectorise.
    {"gcd_$S", R"($T gcd_$S($T x, $T y) {
  $U a = ($U)absolute_$S(x), b = ($U)absolute_$S(y);
  while (b != 0) {
    const $U r = ($U)(a % b);
    a = b;
    b = r;
  }
  return ($T)a;
})",
     "absolute_$S", integers},
    {"lcm_$S", R"($T lcm_$S($T x, $T y) {
  const $U a = ($U)absolute_$S(x), b = ($U)absolute_$S(y), g = ($U)gcd_$S(x, y);
  return g == 0 ? ($T)0 : ($T)(($P)(a / g) * ($P)b);
})",
     "absolute_$S gcd_$S", integers},
};

}  // namespace

std::span<const function_template> common_integer() { return table; }

}  // namespace sinter::inline v0::codegen
