// CPU text of the inverse trigonometric functions. Polynomials are fitted as in exponential.cpp.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    // arcsin(a) = a + a z P(z), z = a^2, for a <= 1/2; above, pi/2 - 2 arcsin(sqrt((1 - a) / 2)), corrected
    // for the rounding of the square root.
    // (arcsin(a) / a - 1) / z: 2^-27.62 and 2^-59.11
    {"arcsin_parts_f32", R"(void arcsin_parts_f32(float a, bool outer, float& base, float& tail) {
  const float half = 0.5f - 0.5f * a;
  const float root = __builtin_sqrtf(half);
  const float z = outer ? half : a * a;
  float p = 0x1.595c96p-5f;
  p = __builtin_fmaf(p, z, 0x1.8c3e36p-6f);
  p = __builtin_fmaf(p, z, 0x1.747bb8p-5f);
  p = __builtin_fmaf(p, z, 0x1.330204p-4f);
  p = __builtin_fmaf(p, z, 0x1.5555c8p-3f);
  const float root_low = root > 0.0f ? __builtin_fmaf(-root, root, half) / (root + root) : 0.0f;
  base = outer ? root : a;
  tail = __builtin_fmaf(base * z, p, outer ? root_low : 0.0f);
})"},
    {"arcsin_parts_f64", R"(void arcsin_parts_f64(double a, bool outer, double& base, double& tail) {
  const double half = 0.5 - 0.5 * a;
  const double root = __builtin_sqrt(half);
  const double z = outer ? half : a * a;
  double p = 0x1.0a1547e710086p-5;
  p = __builtin_fma(p, z, -0x1.54d6aa4a24a7ep-6);
  p = __builtin_fma(p, z, 0x1.61d7c3e26174dp-6);
  p = __builtin_fma(p, z, 0x1.ea579aa95a4c4p-9);
  p = __builtin_fma(p, z, 0x1.61085b7a6aea9p-7);
  p = __builtin_fma(p, z, 0x1.758b780cb3f25p-7);
  p = __builtin_fma(p, z, 0x1.ca1f2703ac257p-7);
  p = __builtin_fma(p, z, 0x1.1c49f242ec668p-6);
  p = __builtin_fma(p, z, 0x1.6e8bded772affp-6);
  p = __builtin_fma(p, z, 0x1.f1c71a95089ebp-6);
  p = __builtin_fma(p, z, 0x1.6db6db7212597p-5);
  p = __builtin_fma(p, z, 0x1.333333332e132p-4);
  p = __builtin_fma(p, z, 0x1.5555555555577p-3);
  const double root_low = root > 0.0 ? __builtin_fma(-root, root, half) / (root + root) : 0.0;
  base = outer ? root : a;
  tail = __builtin_fma(base * z, p, outer ? root_low : 0.0);
})"},
    {"arcsin_f32", R"(float arcsin_f32(float x) {
  const float a = __builtin_fabsf(x);
  const bool outer = a > 0.5f;
  float base, tail;
  arcsin_parts_f32(a, outer, base, tail);
  const float high = 0x1.921fb6p+0f - 2.0f * base;
  const float high_low = (0x1.921fb6p+0f - high) - 2.0f * base;
  const float y = outer ? high + (high_low - (2.0f * tail + 0x1.777a5cp-25f)) : base + tail;
  return __builtin_copysignf(y, x);
})",
     "arcsin_parts_f32"},
    {"arccos_f32", R"(float arccos_f32(float x) {
  const float a = __builtin_fabsf(x);
  const bool outer = a > 0.5f;
  float base, tail;
  arcsin_parts_f32(a, outer, base, tail);
  const float sign = x < 0.0f ? -1.0f : 1.0f;
  const float angle = sign * (outer ? 2.0f * base : -base);
  const float start = outer ? (x < 0.0f ? 0x1.921fb6p+1f : 0.0f) : 0x1.921fb6p+0f;
  const float start_low = outer ? (x < 0.0f ? -0x1.777a5cp-24f : 0.0f) : -0x1.777a5cp-25f;
  const float high = start + angle;
  const float high_low = (start - high) + angle;
  return high + (high_low + (start_low + sign * (outer ? 2.0f * tail : -tail)));
})",
     "arcsin_parts_f32"},
    {"arcsin_f64", R"(double arcsin_f64(double x) {
  const double a = __builtin_fabs(x);
  const bool outer = a > 0.5;
  double base, tail;
  arcsin_parts_f64(a, outer, base, tail);
  const double high = 0x1.921fb54442d18p+0 - 2.0 * base;
  const double high_low = (0x1.921fb54442d18p+0 - high) - 2.0 * base;
  const double y = outer ? high + (high_low - (2.0 * tail - 0x1.1a62633145c07p-54)) : base + tail;
  return __builtin_copysign(y, x);
})",
     "arcsin_parts_f64"},
    {"arccos_f64", R"(double arccos_f64(double x) {
  const double a = __builtin_fabs(x);
  const bool outer = a > 0.5;
  double base, tail;
  arcsin_parts_f64(a, outer, base, tail);
  const double sign = x < 0.0 ? -1.0 : 1.0;
  const double angle = sign * (outer ? 2.0 * base : -base);
  const double start = outer ? (x < 0.0 ? 0x1.921fb54442d18p+1 : 0.0) : 0x1.921fb54442d18p+0;
  const double start_low = outer ? (x < 0.0 ? 0x1.1a62633145c07p-53 : 0.0) : 0x1.1a62633145c07p-54;
  const double high = start + angle;
  const double high_low = (start - high) + angle;
  return high + (high_low + (start_low + sign * (outer ? 2.0 * tail : -tail)));
})",
     "arcsin_parts_f64"},

    // arctan(n / d) = high + low for 0 <= n <= d, d neither near the ends of the range nor infinite. From 1/2
    // on it is pi/4 + arctan((n - d) / (n + d)), where the difference is exact; corrected for the rounding
    // of the quotient. (arctan(t) / t - 1) / t^2: 2^-31.51 and 2^-65.21
    {"arctan_ratio_f32", R"(void arctan_ratio_f32(float n, float d, float& high, float& low) {
  const bool beyond = n >= 0.5f * d;
  const float top = beyond ? n - d : n;
  const float bottom = beyond ? n + d : d;
  const float bottom_low = beyond ? (d - bottom) + n : 0.0f;
  const float inverse = 1.0f / bottom;
  const float t = top * inverse;
  const float t_low = __builtin_fmaf(-t, bottom_low, __builtin_fmaf(-t, bottom, top)) * inverse;
  const float z = t * t;
  float p = 0x1.3539bep-5f;
  p = __builtin_fmaf(p, z, -0x1.44442ep-4f);
  p = __builtin_fmaf(p, z, 0x1.bf704cp-4f);
  p = __builtin_fmaf(p, z, -0x1.244076p-3f);
  p = __builtin_fmaf(p, z, 0x1.99966ap-3f);
  p = __builtin_fmaf(p, z, -0x1.55555p-2f);
  const float base = beyond ? 0x1.921fb6p-1f : 0.0f;
  const float tail = __builtin_fmaf(t * z, p, t_low) + (beyond ? -0x1.777a5cp-26f : 0.0f);
  high = base + t;
  low = ((base - high) + t) + tail;
})"},
    {"arctan_ratio_f64", R"(void arctan_ratio_f64(double n, double d, double& high, double& low) {
  const bool beyond = n >= 0.5 * d;
  const double top = beyond ? n - d : n;
  const double bottom = beyond ? n + d : d;
  const double bottom_low = beyond ? (d - bottom) + n : 0.0;
  const double inverse = 1.0 / bottom;
  const double t = top * inverse;
  const double t_low = __builtin_fma(-t, bottom_low, __builtin_fma(-t, bottom, top)) * inverse;
  const double z = t * t;
  double p = 0x1.b91ec1686bcc4p-8;
  p = __builtin_fma(p, z, -0x1.4907040f744d3p-6);
  p = __builtin_fma(p, z, 0x1.0c50fcbcdb7afp-5);
  p = __builtin_fma(p, z, -0x1.5220580b4dc9bp-5);
  p = __builtin_fma(p, z, 0x1.8220a0574b3e0p-5);
  p = __builtin_fma(p, z, -0x1.ae857303c8606p-5);
  p = __builtin_fma(p, z, 0x1.e1cecaafb306cp-5);
  p = __builtin_fma(p, z, -0x1.111041ebc9afcp-4);
  p = __builtin_fma(p, z, 0x1.3b13a4c521837p-4);
  p = __builtin_fma(p, z, -0x1.745d16c22789cp-4);
  p = __builtin_fma(p, z, 0x1.c71c71c39461cp-4);
  p = __builtin_fma(p, z, -0x1.249249248b14fp-3);
  p = __builtin_fma(p, z, 0x1.99999999998acp-3);
  p = __builtin_fma(p, z, -0x1.5555555555555p-2);
  const double base = beyond ? 0x1.921fb54442d18p-1 : 0.0;
  const double tail = __builtin_fma(t * z, p, t_low) + (beyond ? 0x1.1a62633145c07p-55 : 0.0);
  high = base + t;
  low = ((base - high) + t) + tail;
})"},
    {"arctan_f32", R"(float arctan_f32(float x) {
  const float whole = __builtin_fabsf(x);
  const float a = whole > 0x1p64f ? 0x1p64f : whole;
  const bool inverse = a > 1.0f;
  float high, low;
  arctan_ratio_f32(inverse ? 1.0f : a, inverse ? a : 1.0f, high, low);
  const float turned = 0x1.921fb6p+0f - high;
  const float turned_low = ((0x1.921fb6p+0f - turned) - high) - 0x1.777a5cp-25f - low;
  return __builtin_copysignf(inverse ? turned + turned_low : high + low, x);
})",
     "arctan_ratio_f32"},
    {"arctan_f64", R"(double arctan_f64(double x) {
  const double whole = __builtin_fabs(x);
  const double a = whole > 0x1p64 ? 0x1p64 : whole;
  const bool inverse = a > 1.0;
  double high, low;
  arctan_ratio_f64(inverse ? 1.0 : a, inverse ? a : 1.0, high, low);
  const double turned = 0x1.921fb54442d18p+0 - high;
  const double turned_low = ((0x1.921fb54442d18p+0 - turned) - high) + 0x1.1a62633145c07p-54 - low;
  return __builtin_copysign(inverse ? turned + turned_low : high + low, x);
})",
     "arctan_ratio_f64"},
    // C's special cases: both infinite gives an eighth of a turn; both zero gives the axis that the sign of x
    // selects.
    {"arctan2_f32", R"(float arctan2_f32(float y, float x) {
  const float ay = __builtin_fabsf(y), ax = __builtin_fabsf(x);
  const bool steep = ay > ax;
  const float larger = steep ? ay : ax, smaller = steep ? ax : ay;
  const float scale = larger > 0x1p100f ? 0x1p-26f : larger < 0x1p-80f ? 0x1p46f : 1.0f;
  const bool infinite = larger == __builtin_inff();
  const bool both = smaller == __builtin_inff();
  const float n = infinite ? (both ? 1.0f : 0.0f) : smaller * scale;
  const float d = infinite || larger == 0.0f ? 1.0f : larger * scale;
  float high, low;
  arctan_ratio_f32(n, d, high, low);
  const bool left = (__builtin_bit_cast(unsigned int, x) >> 31) != 0u;
  const float start = steep ? 0x1.921fb6p+0f : left ? 0x1.921fb6p+1f : 0.0f;
  const float start_low = steep ? -0x1.777a5cp-25f : left ? -0x1.777a5cp-24f : 0.0f;
  const bool backward = steep != left;
  const float step = backward ? -high : high, step_low = backward ? -low : low;
  const float sum = start + step;
  const float r = sum + (((start - sum) + step) + (start_low + step_low));
  return __builtin_copysignf(x != x || y != y ? x + y : r, y);
})",
     "arctan_ratio_f32"},
    {"arctan2_f64", R"(double arctan2_f64(double y, double x) {
  const double ay = __builtin_fabs(y), ax = __builtin_fabs(x);
  const bool steep = ay > ax;
  const double larger = steep ? ay : ax, smaller = steep ? ax : ay;
  const double scale = larger > 0x1p1000 ? 0x1p-100 : larger < 0x1p-900 ? 0x1p200 : 1.0;
  const bool infinite = larger == __builtin_inf();
  const bool both = smaller == __builtin_inf();
  const double n = infinite ? (both ? 1.0 : 0.0) : smaller * scale;
  const double d = infinite || larger == 0.0 ? 1.0 : larger * scale;
  double high, low;
  arctan_ratio_f64(n, d, high, low);
  const bool left = (__builtin_bit_cast(unsigned long long, x) >> 63) != 0ull;
  const double start = steep ? 0x1.921fb54442d18p+0 : left ? 0x1.921fb54442d18p+1 : 0.0;
  const double start_low = steep ? 0x1.1a62633145c07p-54 : left ? 0x1.1a62633145c07p-53 : 0.0;
  const bool backward = steep != left;
  const double step = backward ? -high : high, step_low = backward ? -low : low;
  const double sum = start + step;
  const double r = sum + (((start - sum) + step) + (start_low + step_low));
  return __builtin_copysign(x != x || y != y ? x + y : r, y);
})",
     "arctan_ratio_f64"},
};

}  // namespace

std::span<const function_template> cpu_inverse_trigonometric() { return table; }

}  // namespace sinter::inline v0::codegen
