// Functions of statistics and of neural networks that both targets compose of others: each text names the
// functions that it calls.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";

constexpr function_template table[] = {
    {"xlogy_$S", "$T xlogy_$S($T x, $T y) { return x == 0 && y == y ? ($T)0 : x * log_$S(y); }", "log_$S",
     floats},
    {"entr_$S", R"($T entr_$S($T x) {
  const $T y = -x * log_$S(x);
  return x > 0 ? y : x == 0 ? ($T)0 : x < 0 ? -($T)__builtin_bit_cast(float, 0x7f800000u) : x;
})",
     "log_$S", floats},
    // (0.5 r) r: the square alone may overflow
    {"huber_$S", R"($T huber_$S($T delta, $T r) {
  const $T a = r < 0 ? -r : r;
  const $T near = ($T)0.5 * a * a, far = delta * (a - ($T)0.5 * delta);
  return delta < 0 ? ($T)__builtin_bit_cast(float, 0x7f800000u) : a <= delta ? near : far;
})",
     "", floats},
    {"softplus_$S", R"($T softplus_$S($T x) {
  return (x > 0 ? x : ($T)0) + log1p_$S(exp_$S(x > 0 ? -x : x));
})",
     "exp_$S log1p_$S", floats},
    // Two factors exp(-|x| / 2), because exp(x) is denormal where x exp(x) is not. The bound gives -0 at
    // -inf.
    {"silu_$S", R"($T silu_$S($T x) {
  const $T b = x < -1500 ? ($T)-1500 : x;
  const $T h = exp_$S(b < 0 ? ($T)0.5 * b : ($T)-0.5 * b);
  const $T d = 1 + h * h;
  return b < 0 ? b * h * (h / d) : b / d;
})",
     "exp_$S", floats},
    // The fraction of a number between 1/2 and 1; frexp's exponent belongs to it.
    {"frexp_mantissa_f32", R"(float frexp_mantissa_f32(float x) {
  const bool tiny = absolute_f32(x) < 0x1p-126f;
  const unsigned int bits = __builtin_bit_cast(unsigned int, tiny ? x * 0x1p24f : x);
  const float y = __builtin_bit_cast(float, (bits & 0x807fffffu) | 0x3f000000u);
  return x == 0.0f || !isfinite_f32(x) ? x : y;
})",
     "absolute_f32 isfinite_f32"},
    {"frexp_mantissa_f64", R"(double frexp_mantissa_f64(double x) {
  const bool tiny = absolute_f64(x) < 0x1p-1022;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? x * 0x1p53 : x);
  const double y = __builtin_bit_cast(double, (bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
  return x == 0.0 || !isfinite_f64(x) ? x : y;
})",
     "absolute_f64 isfinite_f64"},
    {"frexp_exponent_f32", R"(int frexp_exponent_f32(float x) {
  const bool tiny = absolute_f32(x) < 0x1p-126f;
  const unsigned int bits = __builtin_bit_cast(unsigned int, tiny ? x * 0x1p24f : x);
  const int exponent = (int)((bits >> 23) & 255u) - (tiny ? 150 : 126);
  return x == 0.0f || !isfinite_f32(x) ? 0 : exponent;
})",
     "absolute_f32 isfinite_f32"},
    {"frexp_exponent_f64", R"(int frexp_exponent_f64(double x) {
  const bool tiny = absolute_f64(x) < 0x1p-1022;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, tiny ? x * 0x1p53 : x);
  const int exponent = (int)((bits >> 52) & 2047ull) - (tiny ? 1075 : 1022);
  return x == 0.0 || !isfinite_f64(x) ? 0 : exponent;
})",
     "absolute_f64 isfinite_f64"},
    // Magnitudes are ordered as their bits are; of negative numbers these are complemented.
    {"order_key_f32", R"(int order_key_f32(float x) {
  const int bits = __builtin_bit_cast(int, x);
  return x == x ? bits ^ ((bits >> 31) & 0x7fffffff) : 0x7fc00000;
})"},
    {"order_key_f64", R"(long long order_key_f64(double x) {
  const long long bits = __builtin_bit_cast(long long, x);
  return x == x ? bits ^ ((bits >> 63) & 0x7fffffffffffffffll) : 0x7ff8000000000000ll;
})"},
    {"of_order_key_i32", R"(float of_order_key_i32(int key) {
  return __builtin_bit_cast(float, key ^ ((key >> 31) & 0x7fffffff));
})"},
    {"of_order_key_i64", R"(double of_order_key_i64(long long key) {
  return __builtin_bit_cast(double, key ^ ((key >> 63) & 0x7fffffffffffffffll));
})"},
    {"modf_fraction_$S",
     "$T modf_fraction_$S($T x) { return copysign_$S(isinf_$S(x) ? ($T)0 : x - trunc_$S(x), x); }",
     "copysign_$S isinf_$S trunc_$S", floats},
};

}  // namespace

std::span<const function_template> common_special() { return table; }

}  // namespace sinter::inline v0::codegen
