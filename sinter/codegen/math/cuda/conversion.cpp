// CUDA text of conversions: PTX instructions, whose results for values out of range are defined, unlike
// C++'s. `cvt.rzi` saturates; NaN becomes 0 only from .f32 to 32 bits or fewer (PTX ISA, cvt), elsewhere it
// is selected.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"cast_f32_i32", R"(int cast_f32_i32(float x) {
  int r;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
})"},
    {"cast_f32_u32", R"(unsigned int cast_f32_u32(float x) {
  unsigned int r;
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
})"},
    {"cast_f32_i64", R"(long long cast_f32_i64(float x) {
  long long r;
  asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(r) : "f"(x));
  return x != x ? 0ll : r;
})"},
    {"cast_f32_u64", R"(unsigned long long cast_f32_u64(float x) {
  unsigned long long r;
  asm("cvt.rzi.u64.f32 %0, %1;" : "=l"(r) : "f"(x));
  return x != x ? 0ull : r;
})"},
    {"cast_f64_i32", R"(int cast_f64_i32(double x) {
  int r;
  asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(r) : "d"(x));
  return x != x ? 0 : r;
})"},
    {"cast_f64_u32", R"(unsigned int cast_f64_u32(double x) {
  unsigned int r;
  asm("cvt.rzi.u32.f64 %0, %1;" : "=r"(r) : "d"(x));
  return x != x ? 0u : r;
})"},
    {"cast_f64_i64", R"(long long cast_f64_i64(double x) {
  long long r;
  asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(r) : "d"(x));
  return x != x ? 0ll : r;
})"},
    {"cast_f64_u64", R"(unsigned long long cast_f64_u64(double x) {
  unsigned long long r;
  asm("cvt.rzi.u64.f64 %0, %1;" : "=l"(r) : "d"(x));
  return x != x ? 0ull : r;
})"},
    {"cast_f32_$S", R"($T cast_f32_$S(float x) {
  const int wide = cast_f32_i32(x), top = (1 << ($W - 1)) - 1;
  return ($T)(wide > top ? top : wide < -top - 1 ? -top - 1 : wide);
})",
     "cast_f32_i32", "i8 i16"},
    {"cast_f32_$S", R"($T cast_f32_$S(float x) {
  const unsigned int wide = cast_f32_u32(x), top = (1u << $W) - 1u;
  return ($T)(wide > top ? top : wide);
})",
     "cast_f32_u32", "u8 u16"},
    {"cast_f64_$S", R"($T cast_f64_$S(double x) {
  const int wide = cast_f64_i32(x), top = (1 << ($W - 1)) - 1;
  return ($T)(wide > top ? top : wide < -top - 1 ? -top - 1 : wide);
})",
     "cast_f64_i32", "i8 i16"},
    {"cast_f64_$S", R"($T cast_f64_$S(double x) {
  const unsigned int wide = cast_f64_u32(x), top = (1u << $W) - 1u;
  return ($T)(wide > top ? top : wide);
})",
     "cast_f64_u32", "u8 u16"},

    // The identity on 0 and 1, opaque to the assembler: see shares_booleans() in print/instruction_text.cpp.
    {"in_register_b8", R"(int in_register_b8(bool x) {
  int r;
  asm("prmt.b32 %0, %1, 0, 0x4440;" : "=r"(r) : "r"((int)x));
  return r;
})"},
    // The plain conversion loses the sign of NaN; this one is for kernels that need signs.
    {"load_signed_half", R"(float load_signed_half(unsigned short x) {
  const unsigned int sign = (unsigned int)(x & 0x8000) << 16;
  return (x & 0x7fff) > 0x7c00 ? __uint_as_float(sign | 0x7fc00000u) : load_f16(x);
})",
     "load_f16"},
    {"load_f16", R"(float load_f16(unsigned short x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
  return r;
})"},
    {"store_f16", R"(unsigned short store_f16(float x) {
  unsigned short r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
  return r;
})"},
    {"store_f16_f64", R"(unsigned short store_f16_f64(double x) {
  unsigned short r;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(x));
  return r;
})"},
    {"store_bf16", R"(unsigned short store_bf16(float x) {
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
  return r;
})"},
};

}  // namespace

std::span<const function_template> cuda_conversion() { return table; }

}  // namespace sinter::inline v0::codegen
