// CUDA text of integer functions around faults of the assembler: ptxas 13.0.88 for sm_90 evaluates
// compositions of the instructions below wrongly, each of which is right alone. assembler_guards.cpp lists
// what was measured.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view narrow_types = "i8 i16 u8 u16";

constexpr function_template table[] = {
    // Sign or zero extension by an instruction that neither the compiler nor the assembler sees through. What
    // is computed from it has 32 bits, so no 16-bit minimum, maximum or comparison is formed.
    {"widened_i8", R"(int widened_i8(signed char x) {
  int r;
  asm("prmt.b32 %0, %1, 0, 0x8880;" : "=r"(r) : "r"((int)x));
  return r;
})"},
    {"widened_i16", R"(int widened_i16(short x) {
  int r;
  asm("prmt.b32 %0, %1, 0, 0x9910;" : "=r"(r) : "r"((int)x));
  return r;
})"},
    {"widened_u8", R"(int widened_u8(unsigned char x) {
  int r;
  asm("prmt.b32 %0, %1, 0, 0x4440;" : "=r"(r) : "r"((int)x));
  return r;
})"},
    {"widened_u16", R"(int widened_u16(unsigned short x) {
  int r;
  asm("prmt.b32 %0, %1, 0, 0x4410;" : "=r"(r) : "r"((int)x));
  return r;
})"},
    // The identity, likewise: a negation before it does not become an operand's sign in a minimum of three.
    // Of 64 bits the high half is enough.
    {"held_$S", "$T held_$S($T x) { return ($T)widened_$S(x); }", "widened_$S", narrow_types},
    {"held_$S", R"($T held_$S($T x) {
  $T r;
  asm("prmt.b32 %0, %1, 0, 0x3210;" : "=r"(r) : "r"(x));
  return r;
})",
     "", "i32 u32"},
    {"held_i64", R"(long long held_i64(long long x) {
  const unsigned long long high = held_u32((unsigned int)((unsigned long long)x >> 32));
  return (long long)(high << 32 | (unsigned int)x);
})",
     "held_u32"},
    {"held_u64", R"(unsigned long long held_u64(unsigned long long x) {
  return (unsigned long long)held_u32((unsigned int)(x >> 32)) << 32 | (unsigned int)x;
})",
     "held_u32"},
    // Narrows results of 16-bit arithmetic. Otherwise the compiler forms neg.s16 and abs.s16, which the
    // assembler evaluates to 32768 for -32768 where the result is widened, as comparisons do.
    {"narrow_$S", R"($T narrow_$S(unsigned int x) {
  $T r;
  asm("cvt.u16.u32 %0, %1;" : "=h"(r) : "r"(x));
  return r;
})",
     "", "i16 u16"},

    {"negative_$S", "$T negative_$S($T x) { return narrow_$S(0u - (unsigned int)x); }", "narrow_$S",
     "i16 u16"},
    {"absolute_i16",
     "short absolute_i16(short x) { return narrow_i16(x < 0 ? 0u - (unsigned int)x : (unsigned int)x); }",
     "narrow_i16"},
    // Quotients and their remainders in 32 bits, for the same reason as negative numbers of 16 bits. The
    // divisor may be a constant, which the compiler is to see.
    {"sign_i16", "short sign_i16(short x) { return (short)sign_i32(widened_i16(x)); }",
     "sign_i32 widened_i16"},
    {"trunc_divide_$S", R"($T trunc_divide_$S($T x, $T y) {
  return narrow_$S((unsigned int)trunc_divide_i32(widened_$S(x), (int)y));
})",
     "narrow_$S trunc_divide_i32 widened_$S", "i16 u16"},
    {"floor_divide_$S", R"($T floor_divide_$S($T x, $T y) {
  return narrow_$S((unsigned int)floor_divide_i32(widened_$S(x), (int)y));
})",
     "narrow_$S floor_divide_i32 widened_$S", "i16 u16"},
    {"fmod_$S", R"($T fmod_$S($T x, $T y) {
  return narrow_$S((unsigned int)fmod_i32(widened_$S(x), (int)y));
})",
     "narrow_$S fmod_i32 widened_$S", "i16 u16"},
    {"remainder_$S", R"($T remainder_$S($T x, $T y) {
  return narrow_$S((unsigned int)remainder_i32(widened_$S(x), (int)y));
})",
     "narrow_$S remainder_i32 widened_$S", "i16 u16"},
    // One operand keeps these in 32 bits; of plain integers the compiler narrows some again.
    {"minimum_$S", R"($T minimum_$S($T x, $T y) {
  const int a = widened_$S(x), b = y;
  return ($T)(a < b ? a : b);
})",
     "widened_$S", narrow_types},
    {"maximum_$S", R"($T maximum_$S($T x, $T y) {
  const int a = widened_$S(x), b = y;
  return ($T)(a > b ? a : b);
})",
     "widened_$S", narrow_types},
    {"fmin_$S", "$T fmin_$S($T x, $T y) { return minimum_$S(x, y); }", "minimum_$S", narrow_types},
    {"fmax_$S", "$T fmax_$S($T x, $T y) { return maximum_$S(x, y); }", "maximum_$S", narrow_types},
    // The value that wins is chosen by this comparison, which must not become a maximum either.
    {"argmax_$S", R"(bool argmax_$S($T x, long long p, $T y, long long q) {
  const int a = widened_$S(x), b = widened_$S(y);
  return a > b || (a == b && p < q);
})",
     "widened_$S", narrow_types},
    {"argmin_$S", R"(bool argmin_$S($T x, long long p, $T y, long long q) {
  const int a = widened_$S(x), b = widened_$S(y);
  return a < b || (a == b && p < q);
})",
     "widened_$S", narrow_types},
    {"argmax_later_$S", "bool argmax_later_$S($T x, $T y) { return widened_$S(x) > widened_$S(y); }",
     "widened_$S", narrow_types},
    {"argmin_later_$S", "bool argmin_later_$S($T x, $T y) { return widened_$S(x) < widened_$S(y); }",
     "widened_$S", narrow_types},
};

}  // namespace

std::span<const function_template> cuda_integer() { return table; }

}  // namespace sinter::inline v0::codegen
