// Random numbers: Philox4x32-10 and Box-Muller's transform of its words.
//
// A function computes a whole block for one of its words. Of neighbours in one block, compilers then compute
// it once: where they see that index >> 2 is the same number for all of them.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"philox_round_u32",
     R"(void philox_round_u32(unsigned int& a, unsigned int& b, unsigned int& c, unsigned int& d, unsigned int k, unsigned int l) {
  const unsigned long long p = 0xD2511F53ull * a;
  const unsigned long long q = 0xCD9E8D57ull * c;
  a = (unsigned int)(q >> 32) ^ b ^ k;
  b = (unsigned int)q;
  c = (unsigned int)(p >> 32) ^ d ^ l;
  d = (unsigned int)p;
})"},
    {"random_word_u64",
     R"(unsigned int random_word_u64(unsigned long long index, unsigned long long seed, unsigned long long sequence) {
  unsigned int a = (unsigned int)(index >> 2);
  unsigned int b = (unsigned int)(index >> 34);
  unsigned int c = (unsigned int)sequence;
  unsigned int d = (unsigned int)(sequence >> 32);
  const unsigned int k = (unsigned int)seed;
  const unsigned int l = (unsigned int)(seed >> 32);
  philox_round_u32(a, b, c, d, k, l);
  philox_round_u32(a, b, c, d, k + 0x9E3779B9u, l + 0xBB67AE85u);
  philox_round_u32(a, b, c, d, k + 0x3C6EF372u, l + 0x76CF5D0Au);
  philox_round_u32(a, b, c, d, k + 0xDAA66D2Bu, l + 0x32370B8Fu);
  philox_round_u32(a, b, c, d, k + 0x78DDE6E4u, l + 0xED9EBA14u);
  philox_round_u32(a, b, c, d, k + 0x1715609Du, l + 0xA9066899u);
  philox_round_u32(a, b, c, d, k + 0xB54CDA56u, l + 0x646E171Eu);
  philox_round_u32(a, b, c, d, k + 0x5384540Fu, l + 0x1FD5C5A3u);
  philox_round_u32(a, b, c, d, k + 0xF1BBCDC8u, l + 0xDB3D7428u);
  philox_round_u32(a, b, c, d, k + 0x8FF34781u, l + 0x96A522ADu);
  const unsigned int e = (index & 1) != 0 ? b : a;
  const unsigned int f = (index & 1) != 0 ? d : c;
  return (index & 2) != 0 ? f : e;
})",
     "philox_round_u32"},

    // Quarters of a turn end halfway between the axes, so that the rest is at most pi / 4 on both sides; the
    // polynomials are Cephes'. A fast logarithm may be above 0.
    {"log_of_unit_f32", "float log_of_unit_f32(float x) { return log_f32(x); }", "log_f32"},
    {"normal_of_bits_u32",
     R"(float normal_of_bits_u32(unsigned int radius, unsigned int angle, unsigned int which) {
  const float minus_square = log_of_unit_f32((float)(radius | 1u) * 0x1p-32f) * 2.0f;
  const float length = sqrt_f32(minus_square < 0.0f ? -minus_square : 0.0f);
  const unsigned int quarter = ((angle + 0x20000000u) >> 30) + ((which & 1u) ^ 1u);
  const float x = (float)((int)(angle << 2) >> 2) * 0x1.921fb6p-30f;
  const float z = x * x;
  const float s = fma_f32(fma_f32(fma_f32(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f), z * x, x);
  const float c = fma_f32(fma_f32(fma_f32(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f), z * z, fma_f32(z, -0.5f, 1.0f));
  const float along = (quarter & 1u) != 0 ? c : s;
  return length * ((quarter & 2u) != 0 ? -along : along);
})",
     "log_of_unit_f32 sqrt_f32 fma_f32"},
    {"normal_of_bits_u64",
     R"(double normal_of_bits_u64(unsigned long long radius, unsigned long long angle, unsigned long long which) {
  const double minus_square = log_f64((double)(radius | 1ull) * 0x1p-64) * 2.0;
  const double length = sqrt_f64(minus_square < 0.0 ? -minus_square : 0.0);
  const unsigned long long quarter = ((angle + 0x2000000000000000ull) >> 62) + ((which & 1ull) ^ 1ull);
  const double x = (double)((long long)(angle << 2) >> 2) * 0x1.921fb54442d18p-62;
  const double z = x * x;
  const double s = fma_f64(fma_f64(fma_f64(fma_f64(fma_f64(fma_f64(1.58962301576546568060e-10, z, -2.50507477628578072866e-8), z, 2.75573136213857245213e-6), z, -1.98412698295895385996e-4), z, 8.33333333332211858878e-3), z, -1.66666666666666307295e-1), z * x, x);
  const double c = fma_f64(fma_f64(fma_f64(fma_f64(fma_f64(fma_f64(-1.13585365213876817300e-11, z, 2.08757008419747316778e-9), z, -2.75573141792967388112e-7), z, 2.48015872888517045348e-5), z, -1.38888888888730564116e-3), z, 4.16666666666665929218e-2), z * z, fma_f64(z, -0.5, 1.0));
  const double along = (quarter & 1ull) != 0 ? c : s;
  return length * ((quarter & 2ull) != 0 ? -along : along);
})",
     "log_f64 sqrt_f64 fma_f64"},
};

}  // namespace

std::span<const function_template> common_random() { return table; }

}  // namespace sinter::inline v0::codegen
