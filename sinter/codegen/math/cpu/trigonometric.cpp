// CPU text of sin, cos, tan and sinc over the whole range of arguments.
//
// Near zero (below 2^17 for float, 2^36 for double) x - q pi/2 is computed with pi/2 in three parts (Cody and
// Waite), as r + low, so that the rounding of r does no harm. Farther out x / pi modulo 2 is computed from
// bits of 1 / pi (Payne and Hanek, "Radian reduction for trigonometric functions", 1983): the class of the
// exponent selects words without the bits that would add multiples of 2. Selecting between both results keeps
// the functions branch-free but evaluates both; sin_fast_f32 and the like, the fast paths, omit the second
// and give the same bits where trig_has_fast_f32 is true. Polynomials are fitted as in exponential.cpp.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"trig_has_fast_f32", "bool trig_has_fast_f32(float x) { return __builtin_fabsf(x) <= 0x1p17f; }"},
    {"trig_has_fast_f64", "bool trig_has_fast_f64(double x) { return __builtin_fabs(x) <= 0x1p36; }"},

    // r + low = x - q pi/2 for an integer q up to 2^17 (2^37). The first product is exact in the fma; the
    // second is split, and its subtraction's error recovered (Dekker's fast two-sum: where it is the larger
    // operand, the difference has few enough bits to be exact).
    {"trig_reduce_fast_f32", R"(void trig_reduce_fast_f32(float x, float q, float& r, float& low) {
  const float first = __builtin_fmaf(q, -0x1.921fb6p+0f, x);
  const float second = q * -0x1.777a5cp-25f;
  const float second_low = __builtin_fmaf(q, -0x1.777a5cp-25f, -second);
  r = first - second;
  low = __builtin_fmaf(q, 0x1.ee59dap-50f, ((first - r) - second) - second_low);
})"},
    {"trig_reduce_fast_f64", R"(void trig_reduce_fast_f64(double x, double q, double& r, double& low) {
  const double first = __builtin_fma(q, -0x1.921fb54442d18p+0, x);
  const double second = q * 0x1.1a62633145c07p-54;
  const double second_low = __builtin_fma(q, 0x1.1a62633145c07p-54, -second);
  r = first - second;
  low = __builtin_fma(q, 0x1.f1976b7ed8fbcp-110, ((first - r) - second) - second_low);
})"},

    // x / pi = turns + rest modulo 2, |turns| <= 1. Class j of exponents from 17 + 20j has 106 bits of
    // 1 / pi. x takes 24 of them and the class 20: an error of 2^-61 is left, while x is at least about 2^-33
    // away from a multiple of pi/2.
    {"trig_turns_f32", R"(void trig_turns_f32(float x, double& turns, double& rest) {
  const float a = __builtin_fabsf(x);
  double w0 = 0x1.45f306dc9c883p-2;
  double w1 = -0x1.6b01ec5417056p-56;
  w0 = a >= 0x1p37f ? -0x1.9f246c6efab58p-15 : w0;
  w1 = a >= 0x1p37f ? -0x1.ec54170565912p-72 : w1;
  w0 = a >= 0x1p57f ? 0x1.391054a7f09d6p-35 : w0;
  w1 = a >= 0x1p57f ? -0x1.70565911f924fp-92 : w1;
  w0 = a >= 0x1p77f ? 0x1.4a7f09d5f47d5p-55 : w0;
  w1 = a >= 0x1p77f ? -0x1.6447e493ad4cep-110 : w1;
  w0 = a >= 0x1p97f ? 0x1.3abe8fa9a6ee0p-76 : w0;
  w1 = a >= 0x1p97f ? 0x1.b6c52b3278872p-130 : w1;
  w0 = a >= 0x1p117f ? 0x1.f534ddc0db629p-97 : w0;
  w1 = a >= 0x1p117f ? 0x1.664f10e4107f9p-151 : w1;
  const double wide = x;
  const double high = wide * w0;
  rest = __builtin_fma(wide, w1, __builtin_fma(wide, w0, -high));
  turns = high - 2.0 * __builtin_rint(high * 0.5);
})"},
    // The same for double: classes of 32 exponents from 36, four words each, scaled by 2^128 to stay normal.
    // Each term is reduced modulo 2 at once, and the terms are added with their rounding errors.
    {"trig_turns_f64", R"(void trig_turns_f64(double x, double& turns, double& rest) {
  static const double words[124] = {
      0x1.45f306dc9c883p+126, -0x1.6b01ec5417056p+72, -0x1.6447e493ad4cep+18, 0x1.e21c820ff28b2p-36,
      0x1.836e4e44152a0p+111, -0x1.ec54170565912p+56, 0x1.b6c52b3278872p-2, 0x1.07f9458eaf7afp-59,
      0x1.529fc2757d1f5p+75, 0x1.a6ee06db14acdp+20, -0x1.8778df7c035d4p-34, 0x1.d5ef5de2b0db9p-88,
      -0x1.505c1596447e5p+46, 0x1.b14acc9e21c82p-8, 0x1.fe5163abdebbcp-65, 0x1.586dc91b8e909p-119,
      0x1.bb81b6c52b328p+14, -0x1.de37df00d74e3p-40, 0x1.7bd778ac36e49p-94, -0x1.1c5bdb22d1ffap-149,
      -0x1.6a66c3bc6fbe0p-17, -0x1.ae9c5421443aap-73, 0x1.b7246e3a424ddp-129, 0x1.700324977504fp-184,
      -0x1.bef806ba71508p-51, -0x1.443a9e48db91cp-105, -0x1.6f6c8b47fe6dbp-159, -0x1.115f62e6de302p-213,
      0x1.63abdebbc561bp-81, 0x1.c91b8e909374cp-135, -0x1.ff9b6d115f62ep-189, -0x1.b78c0788538d4p-243,
      -0x1.d4f246dc8e2dfp-116, 0x1.374b801924bbbp-171, -0x1.f62e6de301e21p-225, -0x1.38d3b5963045ep-279,
      0x1.b8e909374b802p-147, -0x1.b6d115f62e6dep-201, -0x1.80f10a71a76b3p-256, 0x1.cfba208d7d4bbp-311,
      0x1.d2e006492eea1p-177, -0x1.8b9b78c078854p-231, 0x1.cb129a73ee882p-285, 0x1.afa975da24275p-340,
      0x1.2eea09d1921d0p-209, -0x1.e214e34ed658cp-265, -0x1.177dca0ad144cp-321, 0x1.213a671c09ad1p-375,
      0x1.921cfe1deb1cbp-241, 0x1.29a73ee88235fp-297, 0x1.4baed1213a672p-351, -0x1.fb29741037d8dp-406,
      0x1.eb1cb129a73efp-273, -0x1.df7282b4512eep-327, 0x1.3a671c09ad17ep-383, -0x1.bec66e29c67cbp-441,
      0x1.a73ee88235f53p-305, -0x1.44bb7b16638fep-361, 0x1.ad17df904e647p-415, 0x1.639835339f49dp-469,
      -0x1.ca0ad144bb7b1p-337, -0x1.98e3f652e8207p-391, 0x1.3991d63983534p-449, -0x1.82d8dee81d108p-503,
      -0x1.76f62cc71fb29p-370, -0x1.d040df633714ep-424, -0x1.9f2b3182d8defp-479, 0x1.f8bbdf9283b20p-533,
      0x1.c09ad17df904ep-403, 0x1.91d639835339fp-457, 0x1.272117e2ef7e5p-511, -0x1.7c4e007680022p-565,
      -0x1.037d8cdc538d0p-434, 0x1.a99cfa4e422fcp-488, 0x1.77bf250763ff1p-542, 0x1.7ffde05980fefp-597,
      0x1.d639835339f4ap-465, -0x1.bdd03a21036bep-520, -0x1.3801da00087eap-575, 0x1.80fef2f118b5ap-629,
      -0x1.8c16c6f740e88p-498, -0x1.036be27003b40p-552, -0x1.0fd33f8086877p-612, -0x1.d297d64b824b2p-667,
      0x1.7e2ef7e4a0ec8p-531, -0x1.da00087e99fc0p-591, -0x1.0d0ee74a5f593p-645, 0x1.f6d367ecf27cbp-701,
      0x1.283b1ff897ffep-561, -0x1.fa67f010d0ee7p-617, -0x1.297d64b824b26p-671, -0x1.30d834f648b0cp-729,
      0x1.2fffbc0b301fep-594, -0x1.a1dce94beb25cp-650, -0x1.25930261b069fp-706, 0x1.b74f463f669e6p-761,
      0x1.980fef2f118b6p-625, -0x1.7d64b824b2605p-679, 0x1.e4f96136e9e8cp-734, 0x1.fb34f2ff516bbp-788,
      -0x1.dce94beb25c12p-658, -0x1.64c0986c1a7b2p-712, -0x1.161738132c340p-766, -0x1.5d28ad8453814p-821,
      -0x1.92e092c98130ep-689, 0x1.f2c26dd3d18fep-743, -0x1.961a015d28ad8p-797, -0x1.14e050683a131p-851,
      -0x1.8130d834f648bp-721, -0x1.738132c3402bap-778, -0x1.456c229c0a0d0p-832, -0x1.d0985f18c10ebp-886,
      -0x1.ec9161738132cp-754, -0x1.a015d28ad8454p-809, 0x1.faf97c5ecf41dp-863, -0x1.821d6b5b45650p-919,
      -0x1.c09961a015d29p-785, 0x1.49eeb1faf97c6p-839, -0x1.30be31821d6b6p-895, 0x1.2ea6bfb5fb120p-949,
      -0x1.5d28ad8453814p-821, -0x1.a0e84c2f8c608p-877, -0x1.d6b5b45650128p-931, -0x1.3b81ca8bdea7fp-987,
  };
  const int exponent = (int)((__builtin_bit_cast(unsigned long long, x) >> 52) & 2047ull) - 1059;
  const int j = (exponent < 0 ? 0 : exponent > 991 ? 991 : exponent) >> 5;
  const double scaled = x * 0x1p-128;
  const double w0 = words[4 * j], w1 = words[4 * j + 1], w2 = words[4 * j + 2], w3 = words[4 * j + 3];
  double a = scaled * w0;
  double b = __builtin_fma(scaled, w0, -a);
  double c = scaled * w1;
  const double d = __builtin_fma(scaled, w1, -c);
  const double e = scaled * w2;
  const double f = __builtin_fma(scaled, w3, __builtin_fma(scaled, w2, -e));
  a -= 2.0 * __builtin_rint(a * 0.5);
  b -= 2.0 * __builtin_rint(b * 0.5);
  c -= 2.0 * __builtin_rint(c * 0.5);
  const double ab = a + b, ab_part = ab - a, ab_low = (a - (ab - ab_part)) + (b - ab_part);
  const double abc = ab + c, abc_part = abc - ab, abc_low = (ab - (abc - abc_part)) + (c - abc_part);
  const double de = d + e, de_part = de - d, de_low = (d - (de - de_part)) + (e - de_part);
  const double low = ab_low + abc_low;
  const double low_part = low - ab_low, low_low = (ab_low - (low - low_part)) + (abc_low - low_part);
  const double all = low + de, all_part = all - low, all_low = (low - (all - all_part)) + (de - all_part);
  turns = abc - 2.0 * __builtin_rint(abc * 0.5);
  const double sum = turns + all, sum_part = sum - turns;
  rest = ((turns - (sum - sum_part)) + (all - sum_part)) + (all_low + (low_low + (de_low + f)));
  turns = sum;
})"},
    // r + low = x - q pi/2 and q's low bits from the turns.
    {"trig_reduce_far_f32", R"(void trig_reduce_far_f32(float x, float& r, float& low, unsigned int& q) {
  double turns, rest;
  trig_turns_f32(x, turns, rest);
  const double shifted = 2.0 * (turns + rest) + 0x1.8p52;
  const double angle = ((turns - 0.5 * (shifted - 0x1.8p52)) + rest) * 0x1.921fb54442d18p+1;
  r = (float)angle;
  low = (float)(angle - r);
  q = (unsigned int)__builtin_bit_cast(unsigned long long, shifted);
})",
     "trig_turns_f32"},
    {"trig_reduce_far_f64",
     R"(void trig_reduce_far_f64(double x, double& r, double& low, unsigned long long& q) {
  double turns, rest;
  trig_turns_f64(x, turns, rest);
  const double shifted = 2.0 * turns + 0x1.8p52;
  const double first = turns - 0.5 * (shifted - 0x1.8p52);
  const double h = first + rest;
  const double l = (first - h) + rest;
  r = h * 0x1.921fb54442d18p+1;
  low = __builtin_fma(h, 0x1.921fb54442d18p+1, -r);
  low = __builtin_fma(l, 0x1.921fb54442d18p+1, __builtin_fma(h, 0x1.1a62633145c07p-53, low));
  q = __builtin_bit_cast(unsigned long long, shifted);
})",
     "trig_turns_f64"},
    // Selects between the two reductions.
    {"trig_reduce_f32", R"(void trig_reduce_f32(float x, float& r, float& low, unsigned int& q) {
  const bool near = trig_has_fast_f32(x);
  const float shifted = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f);
  float fast_r, fast_low;
  trig_reduce_fast_f32(x, shifted - 0x1.8p23f, fast_r, fast_low);
  trig_reduce_far_f32(x, r, low, q);
  r = near ? fast_r : r;
  low = near ? fast_low : low;
  q = near ? __builtin_bit_cast(unsigned int, shifted) : q;
})",
     "trig_has_fast_f32 trig_reduce_fast_f32 trig_reduce_far_f32"},
    {"trig_reduce_f64", R"(void trig_reduce_f64(double x, double& r, double& low, unsigned long long& q) {
  const bool near = trig_has_fast_f64(x);
  const double shifted = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
  double fast_r, fast_low;
  trig_reduce_fast_f64(x, shifted - 0x1.8p52, fast_r, fast_low);
  trig_reduce_far_f64(x, r, low, q);
  r = near ? fast_r : r;
  low = near ? fast_low : low;
  q = near ? __builtin_bit_cast(unsigned long long, shifted) : q;
})",
     "trig_has_fast_f64 trig_reduce_fast_f64 trig_reduce_far_f64"},

    // Sine and cosine of r + low for |r| <= 0.8, each as a large part and a small one.
    // (sin(r) / r - 1) / r^2: 2^-27.68, (cos(r) - 1 + r^2/2) / r^4: 2^-32.60
    {"trig_kernel_f32", R"(void trig_kernel_f32(float r, float low, float& sine_tail, float& cosine_tail) {
  const float s = r * r;
  float p = -0x1.990d74p-13f;
  p = __builtin_fmaf(p, s, 0x1.1106aap-7f);
  p = __builtin_fmaf(p, s, -0x1.555544p-3f);
  float q = 0x1.99911ep-16f;
  q = __builtin_fmaf(q, s, -0x1.6c0af4p-10f);
  q = __builtin_fmaf(q, s, 0x1.555548p-5f);
  sine_tail = __builtin_fmaf(r * s, p, low);
  cosine_tail = __builtin_fmaf(s, __builtin_fmaf(s, q, -0.5f), -(r * low));
})"},
    // 2^-57.88 and 2^-63.75
    {"trig_kernel_f64",
     R"(void trig_kernel_f64(double r, double low, double& sine_tail, double& cosine_tail) {
  const double s = r * r;
  double p = 0x1.5d8ba890fef9cp-33;
  p = __builtin_fma(p, s, -0x1.ae5e4c640e9cep-26);
  p = __builtin_fma(p, s, 0x1.71de3555ef360p-19);
  p = __builtin_fma(p, s, -0x1.a01a019be98f3p-13);
  p = __builtin_fma(p, s, 0x1.111111110f730p-7);
  p = __builtin_fma(p, s, -0x1.5555555555548p-3);
  double q = -0x1.8f9c1f6805ae3p-37;
  q = __builtin_fma(q, s, 0x1.1ee9c665595d2p-29);
  q = __builtin_fma(q, s, -0x1.27e4f7cffa5c0p-22);
  q = __builtin_fma(q, s, 0x1.a01a019c5dbfbp-16);
  q = __builtin_fma(q, s, -0x1.6c16c16c14e00p-10);
  q = __builtin_fma(q, s, 0x1.555555555554ap-5);
  sine_tail = __builtin_fma(r * s, p, low);
  cosine_tail = __builtin_fma(s, __builtin_fma(s, q, -0.5), -(r * low));
})"},
    // sin(r + low + q pi/2), q modulo 4.
    {"sin_quadrant_f32", R"(float sin_quadrant_f32(float r, float low, unsigned int q) {
  float sine_tail, cosine_tail;
  trig_kernel_f32(r, low, sine_tail, cosine_tail);
  const float y = (q & 1u) != 0u ? 1.0f + cosine_tail : r + sine_tail;
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, y) ^ ((q & 2u) << 30));
})",
     "trig_kernel_f32"},
    {"sin_quadrant_f64", R"(double sin_quadrant_f64(double r, double low, unsigned long long q) {
  double sine_tail, cosine_tail;
  trig_kernel_f64(r, low, sine_tail, cosine_tail);
  const double y = (q & 1ull) != 0ull ? 1.0 + cosine_tail : r + sine_tail;
  return __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, y) ^ ((q & 2ull) << 62));
})",
     "trig_kernel_f64"},
    // sin / cos of r + low, or -cos / sin in odd quadrants, corrected for the rounding of the parts
    // and the quotient.
    {"tan_quadrant_f32", R"(float tan_quadrant_f32(float r, float low, unsigned int q) {
  float sine_tail, cosine_tail;
  trig_kernel_f32(r, low, sine_tail, cosine_tail);
  const bool odd = (q & 1u) != 0u;
  const float sine = r + sine_tail, cosine = 1.0f + cosine_tail;
  const float sine_low = (r - sine) + sine_tail, cosine_low = (1.0f - cosine) + cosine_tail;
  const float n = odd ? -cosine : sine, n_low = odd ? -cosine_low : sine_low;
  const float d = odd ? sine : cosine, d_low = odd ? sine_low : cosine_low;
  const float inverse = 1.0f / d;
  const float y = n * inverse;
  const float error = __builtin_fmaf(-y, d_low, __builtin_fmaf(-y, d, n) + n_low);
  return __builtin_fmaf(error, inverse, y);
})",
     "trig_kernel_f32"},
    {"tan_quadrant_f64", R"(double tan_quadrant_f64(double r, double low, unsigned long long q) {
  double sine_tail, cosine_tail;
  trig_kernel_f64(r, low, sine_tail, cosine_tail);
  const bool odd = (q & 1ull) != 0ull;
  const double sine = r + sine_tail, cosine = 1.0 + cosine_tail;
  const double sine_low = (r - sine) + sine_tail, cosine_low = (1.0 - cosine) + cosine_tail;
  const double n = odd ? -cosine : sine, n_low = odd ? -cosine_low : sine_low;
  const double d = odd ? sine : cosine, d_low = odd ? sine_low : cosine_low;
  const double inverse = 1.0 / d;
  const double y = n * inverse;
  const double error = __builtin_fma(-y, d_low, __builtin_fma(-y, d, n) + n_low);
  return __builtin_fma(error, inverse, y);
})",
     "trig_kernel_f64"},

    // The reduction loses the sign of zero, so that is selected.
    {"sin_fast_f32", R"(float sin_fast_f32(float x) {
  const float shifted = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f);
  float r, low;
  trig_reduce_fast_f32(x, shifted - 0x1.8p23f, r, low);
  const float y = sin_quadrant_f32(r, low, __builtin_bit_cast(unsigned int, shifted));
  return x == 0.0f ? x : y;
})",
     "trig_reduce_fast_f32 sin_quadrant_f32"},
    {"sin_f32", R"(float sin_f32(float x) {
  float r, low;
  unsigned int q;
  trig_reduce_f32(x, r, low, q);
  const float y = sin_quadrant_f32(r, low, q);
  return x == 0.0f ? x : y;
})",
     "trig_reduce_f32 sin_quadrant_f32", "", "sin_fast_f32", "trig_has_fast_f32"},
    {"cos_fast_f32", R"(float cos_fast_f32(float x) {
  const float shifted = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f);
  float r, low;
  trig_reduce_fast_f32(x, shifted - 0x1.8p23f, r, low);
  return sin_quadrant_f32(r, low, __builtin_bit_cast(unsigned int, shifted) + 1u);
})",
     "trig_reduce_fast_f32 sin_quadrant_f32"},
    {"cos_f32", R"(float cos_f32(float x) {
  float r, low;
  unsigned int q;
  trig_reduce_f32(x, r, low, q);
  return sin_quadrant_f32(r, low, q + 1u);
})",
     "trig_reduce_f32 sin_quadrant_f32", "", "cos_fast_f32", "trig_has_fast_f32"},
    {"tan_fast_f32", R"(float tan_fast_f32(float x) {
  const float shifted = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f);
  float r, low;
  trig_reduce_fast_f32(x, shifted - 0x1.8p23f, r, low);
  const float y = tan_quadrant_f32(r, low, __builtin_bit_cast(unsigned int, shifted));
  return x == 0.0f ? x : y;
})",
     "trig_reduce_fast_f32 tan_quadrant_f32"},
    {"tan_f32", R"(float tan_f32(float x) {
  float r, low;
  unsigned int q;
  trig_reduce_f32(x, r, low, q);
  const float y = tan_quadrant_f32(r, low, q);
  return x == 0.0f ? x : y;
})",
     "trig_reduce_f32 tan_quadrant_f32", "", "tan_fast_f32", "trig_has_fast_f32"},
    {"sin_fast_f64", R"(double sin_fast_f64(double x) {
  const double shifted = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
  double r, low;
  trig_reduce_fast_f64(x, shifted - 0x1.8p52, r, low);
  const double y = sin_quadrant_f64(r, low, __builtin_bit_cast(unsigned long long, shifted));
  return x == 0.0 ? x : y;
})",
     "trig_reduce_fast_f64 sin_quadrant_f64"},
    {"sin_f64", R"(double sin_f64(double x) {
  double r, low;
  unsigned long long q;
  trig_reduce_f64(x, r, low, q);
  const double y = sin_quadrant_f64(r, low, q);
  return x == 0.0 ? x : y;
})",
     "trig_reduce_f64 sin_quadrant_f64", "", "sin_fast_f64", "trig_has_fast_f64"},
    {"cos_fast_f64", R"(double cos_fast_f64(double x) {
  const double shifted = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
  double r, low;
  trig_reduce_fast_f64(x, shifted - 0x1.8p52, r, low);
  return sin_quadrant_f64(r, low, __builtin_bit_cast(unsigned long long, shifted) + 1ull);
})",
     "trig_reduce_fast_f64 sin_quadrant_f64"},
    {"cos_f64", R"(double cos_f64(double x) {
  double r, low;
  unsigned long long q;
  trig_reduce_f64(x, r, low, q);
  return sin_quadrant_f64(r, low, q + 1ull);
})",
     "trig_reduce_f64 sin_quadrant_f64", "", "cos_fast_f64", "trig_has_fast_f64"},
    {"tan_fast_f64", R"(double tan_fast_f64(double x) {
  const double shifted = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
  double r, low;
  trig_reduce_fast_f64(x, shifted - 0x1.8p52, r, low);
  const double y = tan_quadrant_f64(r, low, __builtin_bit_cast(unsigned long long, shifted));
  return x == 0.0 ? x : y;
})",
     "trig_reduce_fast_f64 tan_quadrant_f64"},
    {"tan_f64", R"(double tan_f64(double x) {
  double r, low;
  unsigned long long q;
  trig_reduce_f64(x, r, low, q);
  const double y = tan_quadrant_f64(r, low, q);
  return x == 0.0 ? x : y;
})",
     "trig_reduce_f64 tan_quadrant_f64", "", "tan_fast_f64", "trig_has_fast_f64"},
};

}  // namespace

std::span<const function_template> cpu_trigonometric() { return table; }

}  // namespace sinter::inline v0::codegen
