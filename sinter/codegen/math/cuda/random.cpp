// CUDA text of random numbers.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // The halves of a product apart: the assembler makes one instruction of both. Of a 64-bit product of a
    // constant, NVRTC 13.0 makes two, the second of which adds 0.
    {"philox_round_u32",
     R"(void philox_round_u32(unsigned int& a, unsigned int& b, unsigned int& c, unsigned int& d, unsigned int k, unsigned int l) {
  const unsigned int high = __umulhi(0xD2511F53u, a), low = 0xD2511F53u * a;
  a = __umulhi(0xCD9E8D57u, c) ^ b ^ k;
  b = 0xCD9E8D57u * c;
  c = high ^ d ^ l;
  d = low;
})"},
    // Of a number from 2^-32 to 1. Without the cases of other numbers, which are branches, the compiler
    // computes
    // what both numbers of a pair have in common once.
    {"log_of_unit_f32", "float log_of_unit_f32(float x) { return log_fast_f32(x); }", "log_fast_f32"},
};

}  // namespace

std::span<const function_template> cuda_random() { return table; }

}  // namespace sinter::inline v0::codegen
