// Functions of one floating operand whose text both targets share. Those that differ only in name (floor,
// fma, …) are in cpu/rounding.cpp and cuda/math.cpp, and are called from here by name.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";
constexpr std::string_view integers = "b8 i8 i16 i32 i64 u8 u16 u32 u64";

constexpr function_template table[] = {
    {"round_$S", "$T round_$S($T x) { return rint_$S(x); }", "rint_$S", floats},
    {"rint_$S", "$T rint_$S($T x) { return x; }", "", integers},
    {"round_$S", "$T round_$S($T x) { return x; }", "", integers},
    {"floor_$S", "$T floor_$S($T x) { return x; }", "", integers},
    {"ceil_$S", "$T ceil_$S($T x) { return x; }", "", integers},
    {"trunc_$S", "$T trunc_$S($T x) { return x; }", "", integers},

    {"negative_$S", "$T negative_$S($T x) { return -x; }", "", floats},
    {"sign_$S", "$T sign_$S($T x) { return x > 0 ? ($T)1 : x < 0 ? ($T)-1 : x == 0 ? ($T)0 : x; }", "",
     floats},
    {"square_$S", "$T square_$S($T x) { return x * x; }", "", floats},
    {"reciprocal_$S", "$T reciprocal_$S($T x) { return ($T)1 / x; }", "", floats},
    {"true_divide_$S", "$T true_divide_$S($T x, $T y) { return x / y; }", "", floats},
    {"degrees_f32", "float degrees_f32(float x) { return x * 0x1.ca5dc2p+5f; }"},
    {"degrees_f64", "double degrees_f64(double x) { return x * 0x1.ca5dc1a63c1f8p+5; }"},
    {"radians_f32", "float radians_f32(float x) { return x * 0x1.1df46ap-6f; }"},
    {"radians_f64", "double radians_f64(double x) { return x * 0x1.1df46a2529d39p-6; }"},
    {"heaviside_$S", "$T heaviside_$S($T x, $T y) { return x < 0 ? ($T)0 : x > 0 ? ($T)1 : x == 0 ? y : x; }",
     "", floats},
    // As in NumPy, the angle is rounded first, so sinc(1) is sin(pi rounded) / pi and not 0.
    {"sinc_f32", R"(float sinc_f32(float x) {
  const float angle = 0x1.921fb6p+1f * x;
  const float y = sin_f32(angle) / angle;
  return angle == 0.0f ? 1.0f : y;
})",
     "sin_f32"},
    {"sinc_f64", R"(double sinc_f64(double x) {
  const double angle = 0x1.921fb54442d18p+1 * x;
  const double y = sin_f64(angle) / angle;
  return angle == 0.0 ? 1.0 : y;
})",
     "sin_f64"},

    {"isnan_$S", "bool isnan_$S($T x) { return x != x; }", "", floats},
    {"isinf_f32",
     "bool isinf_f32(float x) { return (__builtin_bit_cast(unsigned int, x) << 1) == 0xff000000u; }"},
    {"isinf_f64",
     "bool isinf_f64(double x) { return (__builtin_bit_cast(unsigned long long, x) << 1) == "
     "0xffe0000000000000ull; }"},
    {"isfinite_f32",
     "bool isfinite_f32(float x) { return (__builtin_bit_cast(unsigned int, x) << 1) < 0xff000000u; }"},
    {"isfinite_f64",
     "bool isfinite_f64(double x) { return (__builtin_bit_cast(unsigned long long, x) << 1) < "
     "0xffe0000000000000ull; }"},
    {"signbit_$S", "bool signbit_$S($T x) { return (__builtin_bit_cast($U, x) >> ($W - 1)) != 0; }", "",
     floats},
    {"copysign_$S", R"($T copysign_$S($T x, $T y) {
  const $U sign = ($U)1 << ($W - 1);
  return __builtin_bit_cast($T, (__builtin_bit_cast($U, x) & ~sign) | (__builtin_bit_cast($U, y) & sign));
})",
     "", floats},
    {"absolute_$S",
     "$T absolute_$S($T x) { return __builtin_bit_cast($T, __builtin_bit_cast($U, x) & ~(($U)1 << ($W - "
     "1))); }",
     "", floats},
    // Neighbouring floats are neighbouring integers as bits; away from zero adds one.
    {"nextafter_$S", R"($T nextafter_$S($T x, $T y) {
  const $U bits = __builtin_bit_cast($U, x);
  const $U sign = ($U)1 << ($W - 1);
  const $U outward = (x < y) == (x > 0) ? bits + 1 : bits - 1;
  const $U next = x == 0 ? (__builtin_bit_cast($U, y) & sign) | 1 : outward;
  return x != x || y != y ? x + y : x == y ? y : __builtin_bit_cast($T, next);
})",
     "", floats},
    // x 2^n, with n rounded toward zero. The mantissa gets the target exponent plus or minus a margin; one
    // multiplication then removes the margin, and only it can round, overflow or become denormal.
    {"ldexp_f32", R"(float ldexp_f32(float x, float n) {
  const bool tiny = absolute_f32(x) < 0x1p-126f;
  const unsigned int bits = __builtin_bit_cast(unsigned int, tiny ? x * 0x1p24f : x);
  const int bounded = (int)(n > 1000.0f ? 1000.0f : n >= -1000.0f ? n : -1000.0f);
  int exponent = (int)((bits >> 23) & 255u) - (tiny ? 24 : 0) + bounded;
  exponent = exponent < -60 ? -60 : exponent > 300 ? 300 : exponent;
  const bool low = exponent < 127;
  const unsigned int placed = (bits & 0x807fffffu) | ((unsigned int)(exponent + (low ? 64 : -64)) << 23);
  const float y = __builtin_bit_cast(float, placed) * (low ? 0x1p-64f : 0x1p64f);
  return n != n ? n : x == 0.0f || !isfinite_f32(x) ? x : y;
})",
     "absolute_f32 isfinite_f32"},
    {"ldexp_f64", R"(double ldexp_f64(double x, double n) {
  const bool tiny = absolute_f64(x) < 0x1p-1022;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? x * 0x1p53 : x);
  const int bounded = (int)(n > 5000.0 ? 5000.0 : n >= -5000.0 ? n : -5000.0);
  int exponent = (int)((bits >> 52) & 2047ull) - (tiny ? 53 : 0) + bounded;
  exponent = exponent < -120 ? -120 : exponent > 2100 ? 2100 : exponent;
  const bool low = exponent < 1023;
  const unsigned long long placed =
      (bits & 0x800fffffffffffffull) | ((unsigned long long)(exponent + (low ? 128 : -128)) << 52);
  const double y = __builtin_bit_cast(double, placed) * (low ? 0x1p-128 : 0x1p128);
  return n != n ? n : x == 0.0 || !isfinite_f64(x) ? x : y;
})",
     "absolute_f64 isfinite_f64"},
};

}  // namespace

std::span<const function_template> common_rounding() { return table; }

}  // namespace sinter::inline v0::codegen
