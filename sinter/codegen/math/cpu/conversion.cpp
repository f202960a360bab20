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
};

}  // namespace

std::span<const function_template> cpu_conversion() { return table; }

}  // namespace sinter::inline v0::codegen
