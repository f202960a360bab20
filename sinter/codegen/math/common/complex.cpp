// Functions of complex numbers, for both targets: compositions of real functions, without branches, so that
// vector lanes and scalar tails agree on the CPU. $T is the complex type, $C that of its parts, $R the parts'
// suffix.
//
// Intermediate results of square root, logarithm and hypotenuse neither overflow nor underflow. Inverse
// functions, their branch cuts and signs of zero follow Kahan, "Branch cuts for complex elementary functions"
// (1987); the quotient is Smith's (1962), as in NumPy.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view numbers = "c64 c128";
constexpr std::string_view floats = "f32 f64";
constexpr std::string_view reals = "b8 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64";

constexpr function_template table[] = {
    // parts
    {"real_$S", "$T real_$S($T x) { return x; }", "", reals},
    {"imag_$S", "$T imag_$S($T) { return 0; }", "", reals},
    {"conj_$S", "$T conj_$S($T x) { return x; }", "", reals},
    {"angle_$S", "$T angle_$S($T x) { return arctan2_$S(($T)0, x); }", "arctan2_$S", floats},
    {"make_complex_$S", "complex<$T> make_complex_$S($T x, $T y) { return {x, y}; }", "", floats},
    {"real_$S", "$C real_$S($T z) { return z.real; }", "", numbers},
    {"imag_$S", "$C imag_$S($T z) { return z.imag; }", "", numbers},
    {"conj_$S", "$T conj_$S($T z) { return {z.real, -z.imag}; }", "", numbers},
    {"angle_$S", "$C angle_$S($T z) { return arctan2_$R(z.imag, z.real); }", "arctan2_$R", numbers},
    {"absolute_$S", "$C absolute_$S($T z) { return hypot_$R(z.real, z.imag); }", "hypot_$R", numbers},

    // arithmetic
    {"negative_$S", "$T negative_$S($T z) { return {-z.real, -z.imag}; }", "", numbers},
    {"true_divide_$S", R"($T true_divide_$S($T a, $T b) {
  const bool wide = absolute_$R(b.real) >= absolute_$R(b.imag);
  const $C larger = wide ? b.real : b.imag, smaller = wide ? b.imag : b.real;
  const $C ratio = smaller / larger, scale = ($C)1 / (larger + smaller * ratio);
  const $C real = (wide ? a.real : a.real * ratio) + (wide ? a.imag * ratio : a.imag);
  const $C imag = (wide ? a.imag : a.imag * ratio) - (wide ? a.real * ratio : a.real);
  const bool zero = (b.real == 0) & (b.imag == 0);
  return {zero ? a.real / absolute_$R(b.real) : real * scale, zero ? a.imag / absolute_$R(b.real) : imag * scale};
})",
     "absolute_$R", numbers},
    {"reciprocal_$S", R"($T reciprocal_$S($T z) {
  const bool wide = absolute_$R(z.real) >= absolute_$R(z.imag);
  const $C larger = wide ? z.real : z.imag, smaller = wide ? z.imag : z.real;
  const $C ratio = smaller / larger, scale = ($C)1 / (larger + smaller * ratio);
  return {wide ? scale : ratio * scale, wide ? -ratio * scale : -scale};
})",
     "absolute_$R", numbers},
    // if exactly one part is infinite, the direction of that part
    {"sign_$S", R"($T sign_$S($T z) {
  constexpr bool is_float = sizeof($C) == 4;
  const $C x = absolute_$R(z.real), y = absolute_$R(z.imag), larger = x > y ? x : y;
  const $C scale = larger > ($C)(is_float ? 0x1p126 : 0x1p1022)    ? ($C)0.25
                   : larger < ($C)(is_float ? 0x1p-100 : 0x1p-1000) ? ($C)(is_float ? 0x1p60 : 0x1p200)
                                                                    : ($C)1;
  const $C real = z.real * scale, imag = z.imag * scale;
  const $C length = hypot_$R(real, imag), divisor = length == 0 ? ($C)1 : length;
  const bool real_is_infinite = isinf_$R(x), imag_is_infinite = isinf_$R(y), one = real_is_infinite != imag_is_infinite;
  return {one ? (real_is_infinite ? copysign_$R(($C)1, z.real) : ($C)0) : real / divisor,
          one ? (imag_is_infinite ? copysign_$R(($C)1, z.imag) : ($C)0) : imag / divisor};
})",
     "absolute_$R hypot_$R isinf_$R copysign_$R", numbers},
    {"rint_$S", "$T rint_$S($T z) { return {rint_$R(z.real), rint_$R(z.imag)}; }", "rint_$R", numbers},
    {"round_$S", "$T round_$S($T z) { return {rint_$R(z.real), rint_$R(z.imag)}; }", "rint_$R", numbers},
    {"isfinite_$S", "bool isfinite_$S($T z) { return isfinite_$R(z.real) & isfinite_$R(z.imag); }",
     "isfinite_$R", numbers},
    {"isinf_$S", "bool isinf_$S($T z) { return isinf_$R(z.real) | isinf_$R(z.imag); }", "isinf_$R", numbers},

    // powers
    {"sqrt_$S", R"($T sqrt_$S($T z) {
  constexpr bool is_float = sizeof($C) == 4;
  const $C x = absolute_$R(z.real), y = absolute_$R(z.imag), larger = x > y ? x : y;
  const bool big = larger > ($C)(is_float ? 0x1p124 : 0x1p1020), small = larger < ($C)(is_float ? 0x1p-90 : 0x1p-900);
  const $C scale = big ? ($C)0x1p-4 : small ? ($C)(is_float ? 0x1p60 : 0x1p200) : ($C)1;
  const $C back = big ? ($C)0x1p2 : small ? ($C)(is_float ? 0x1p-30 : 0x1p-100) : ($C)1;
  const $C length = hypot_$R(x * scale, y * scale);
  const $C near = sqrt_$R((x * scale + length) * ($C)0.5);
  const $C far = near == 0 ? ($C)0 : y * scale / (near + near);
  const bool right = !(z.real < 0), infinite = isinf_$R(z.imag);
  return {infinite ? y : (right ? near : far) * back, infinite ? z.imag : copysign_$R((right ? far : near) * back, z.imag)};
})",
     "absolute_$R hypot_$R sqrt_$R isinf_$R copysign_$R", numbers},
    // integer exponents below 100 by squaring, as in NumPy
    {"power_$S", R"($T power_$S($T z, $T w) {
  const $C size = absolute_$R(w.real);
  const bool whole = (w.imag == 0) & (size < 100) & (rint_$R(w.real) == w.real);
  int left = whole ? (int)size : 0;
  $T product = {1, 0}, factor = z;
  bool begun = false;
  for (int bit = 0; bit < 7; ++bit) {
    const $T longer = product * factor;
    const bool takes = left & 1;
    product = !takes ? product : begun ? longer : factor;
    begun |= takes;
    left >>= 1;
    factor = left != 0 ? factor * factor : factor;
  }
  const $T inverse = true_divide_$S($T{1, 0}, product), power = exp_$S(w * log_$S(z));
  const bool nothing = (z.real == 0) & (z.imag == 0), stays = (w.real == 0) & (w.imag == 0);
  const $C none = w.real > 0 ? ($C)0 : (w.real - w.real) / ($C)0;
  const $T other = !whole ? power : w.real < 0 ? inverse : product;
  return nothing & !stays ? $T{none, none} : other;
})",
     "absolute_$R rint_$R true_divide_$S exp_$S log_$S", numbers},

    // exponentials and logarithms; where exp of the real part overflows, a factor is split off
    {"part_of_exp_$S", R"($C part_of_exp_$S($C length, $C direction, $C angle, bool real) {
  // an angle that is no number: nothing of nothing, and infinity has a real part at least
  const bool lost = !isfinite_$R(angle);
  return lost & (length == 0) ? ($C)0 : lost & real & isinf_$R(length) ? length : length * direction;
})",
     "isfinite_$R isinf_$R", numbers},
    {"exp_$S", R"($T exp_$S($T z) {
  constexpr bool is_float = sizeof($C) == 4;
  const bool far = z.real > ($C)(is_float ? 64 : 512);
  const $C length = exp_$R(far ? z.real - ($C)(is_float ? 64 : 512) : z.real);
  const $C late_factor = far ? ($C)(is_float ? 0x1.425982cf597cdp+92 : 0x1.9476504ba852ep+738) : ($C)1;
  return {part_of_exp_$S(length, cos_$R(z.imag), z.imag, true) * late_factor,
          z.imag == 0 ? z.imag : part_of_exp_$S(length, sin_$R(z.imag), z.imag, false) * late_factor};
})",
     "exp_$R cos_$R sin_$R part_of_exp_$S", numbers},
    {"exp2_$S", R"($T exp2_$S($T z) {
  constexpr bool is_float = sizeof($C) == 4;
  const bool far = z.real > ($C)(is_float ? 64 : 512);
  const $C length = exp2_$R(far ? z.real - ($C)(is_float ? 64 : 512) : z.real);
  const $C late_factor = far ? ($C)(is_float ? 0x1p64 : 0x1p512) : ($C)1, angle = z.imag * ($C)0x1.62e42fefa39efp-1;
  return {part_of_exp_$S(length, cos_$R(angle), z.imag, true) * late_factor,
          z.imag == 0 ? z.imag : part_of_exp_$S(length, sin_$R(angle), z.imag, false) * late_factor};
})",
     "exp2_$R cos_$R sin_$R part_of_exp_$S", numbers},
    // Beyond 80 and 700 the 1 is less than the last digit, however small the cosine is.
    {"expm1_$S", R"($T expm1_$S($T z) {
  constexpr bool is_float = sizeof($C) == 4;
  const $C half = sin_$R(z.imag * ($C)0.5);
  const $T whole = exp_$S(z);
  const $C near = expm1_$R(z.real) * cos_$R(z.imag) - ($C)2 * half * half;
  return {z.real > ($C)(is_float ? 80 : 700) ? whole.real : near, whole.imag};
})",
     "sin_$R exp_$S expm1_$R cos_$R", numbers},
    // near the unit circle, corrects for the rounding of the squares before taking the logarithm
    {"log_length_$S", R"($C log_length_$S($T z) {
  constexpr bool is_float = sizeof($C) == 4;
  const $C x = absolute_$R(z.real), y = absolute_$R(z.imag);
  const bool wide = (x > y) | (y != y);
  const $C larger = wide ? x : y, smaller = wide ? y : x;
  const $C a = larger * larger, b = smaller * smaller;
  const $C lost = fma_$R(larger, larger, -a) + fma_$R(smaller, smaller, -b);
  const bool near = (a + b > ($C)0.5) & (a + b < 3);
  const bool big = larger > ($C)(is_float ? 0x1p126 : 0x1p1022), small = larger < ($C)(is_float ? 0x1p-100 : 0x1p-1000);
  const $C scale = big ? ($C)0.5 : small ? ($C)(is_float ? 0x1p60 : 0x1p200) : ($C)1;
  const $C shift = big ? ($C)0x1.62e42fefa39efp-1 : small ? ($C)(is_float ? -0x1.4cb5ecf0a9650p5 : -0x1.1542457337d43p7) : ($C)0;
  const $C far = log_$R(hypot_$R(x * scale, y * scale)) + shift;
  return near ? ($C)0.5 * log1p_$R(((a - 1) + b) + lost) : far;
})",
     "absolute_$R fma_$R log_$R hypot_$R log1p_$R", numbers},
    {"log_$S", "$T log_$S($T z) { return {log_length_$S(z), arctan2_$R(z.imag, z.real)}; }",
     "log_length_$S arctan2_$R", numbers},
    {"log2_$S", R"($T log2_$S($T z) {
  const $T natural = log_$S(z);
  return {natural.real * ($C)0x1.71547652b82fep0, natural.imag * ($C)0x1.71547652b82fep0};
})",
     "log_$S", numbers},
    {"log10_$S", R"($T log10_$S($T z) {
  const $T natural = log_$S(z);
  return {natural.real * ($C)0x1.bcb7b1526e50ep-2, natural.imag * ($C)0x1.bcb7b1526e50ep-2};
})",
     "log_$S", numbers},
    {"log1p_$S", R"($T log1p_$S($T z) {
  const $T above = {($C)1 + z.real, z.imag};
  const $C larger = absolute_$R(z.real) > absolute_$R(z.imag) ? absolute_$R(z.real) : absolute_$R(z.imag);
  const $C near = ($C)0.5 * log1p_$R(fma_$R(z.real, z.real + 2, z.imag * z.imag));
  return {larger < ($C)0.5 ? near : log_length_$S(above), arctan2_$R(z.imag, above.real)};
})",
     "absolute_$R log1p_$R fma_$R log_length_$S arctan2_$R", numbers},

    // sinh and cosh of a real part; where they overflow, a factor is split off
    {"hyperbolic_$S", R"(void hyperbolic_$S($C x, $C& odd, $C& even, $C& late_factor) {
  constexpr bool is_float = sizeof($C) == 4;
  const $C size = absolute_$R(x), shift = ($C)(is_float ? 64 : 512);
  const bool far = size > shift;
  const $C length = exp_$R(far ? size - shift : ($C)0) * ($C)0.5, near = far ? ($C)0 : x;
  odd = far ? copysign_$R(length, x) : sinh_$R(near);
  even = far ? length : cosh_$R(near);
  late_factor = far ? ($C)(is_float ? 0x1.425982cf597cdp+92 : 0x1.9476504ba852ep+738) : ($C)1;
})",
     "absolute_$R exp_$R copysign_$R sinh_$R cosh_$R", numbers},
    // trigonometric and hyperbolic functions; a zero part stays zero if the other is infinite
    {"sinh_$S", R"($T sinh_$S($T z) {
  $C odd, even, late_factor;
  hyperbolic_$S(z.real, odd, even, late_factor);
  const $C real = odd * cos_$R(z.imag) * late_factor, imag = even * sin_$R(z.imag) * late_factor;
  const bool lost = !isfinite_$R(z.imag) & ((z.real == 0) | isinf_$R(z.real));
  return {lost ? z.real : real, z.imag == 0 ? z.imag : imag};
})",
     "hyperbolic_$S cos_$R sin_$R isfinite_$R isinf_$R", numbers},
    {"cosh_$S", R"($T cosh_$S($T z) {
  $C odd, even, late_factor;
  hyperbolic_$S(z.real, odd, even, late_factor);
  const $C real = even * cos_$R(z.imag) * late_factor, imag = odd * sin_$R(z.imag) * late_factor;
  const bool lost = !isfinite_$R(z.imag), unbounded = !isfinite_$R(z.real);
  return {lost & isinf_$R(z.real) ? absolute_$R(z.real) : real,
          unbounded & (z.imag == 0) ? copysign_$R(($C)1, z.real) * z.imag : lost & (z.real == 0) ? z.real : imag};
})",
     "hyperbolic_$S cos_$R sin_$R isfinite_$R isinf_$R absolute_$R copysign_$R", numbers},
    {"tanh_$S", R"($T tanh_$S($T z) {
  const $C size = absolute_$R(z.real), limit = ($C)(sizeof($C) == 4 ? 11 : 22);
  const bool far = size >= limit, lost = !isfinite_$R(z.imag);
  const $C t = tan_$R(z.imag), s = sinh_$R(far ? ($C)0 : z.real), beta = 1 + t * t, rho = sqrt_$R(1 + s * s);
  const $C divisor = 1 + beta * s * s;
  const $C tail = ($C)4 * sin_$R(z.imag) * cos_$R(z.imag) * exp_$R(($C)-2 * size);
  return {far ? copysign_$R(($C)1, z.real) : lost & (z.real == 0) ? z.real : beta * rho * s / divisor,
          z.imag == 0 ? z.imag : far ? lost ? copysign_$R(($C)0, z.imag) : tail : t / divisor};
})",
     "absolute_$R tan_$R sinh_$R sqrt_$R sin_$R cos_$R exp_$R copysign_$R isfinite_$R", numbers},
    {"sin_$S", "$T sin_$S($T z) { const $T w = sinh_$S($T{-z.imag, z.real}); return {w.imag, -w.real}; }",
     "sinh_$S", numbers},
    {"cos_$S", "$T cos_$S($T z) { return cosh_$S($T{-z.imag, z.real}); }", "cosh_$S", numbers},
    {"tan_$S", "$T tan_$S($T z) { const $T w = tanh_$S($T{-z.imag, z.real}); return {w.imag, -w.real}; }",
     "tanh_$S", numbers},
    // Far from 0 an inverse function is the logarithm of twice the length, with the direction as the other
    // part: the product of the roots would overflow.
    {"is_far_$S", R"(bool is_far_$S($T z) {
  const $C x = absolute_$R(z.real), y = absolute_$R(z.imag);
  return ((x > y) | (y != y) ? x : y) > ($C)(sizeof($C) == 4 ? 0x1p30 : 0x1p60);
})",
     "absolute_$R", numbers},
    {"log_twice_length_$S",
     "$C log_twice_length_$S($T z) { return log_length_$S(z) + ($C)0x1.62e42fefa39efp-1; }", "log_length_$S",
     numbers},
    {"roots_$S", R"(void roots_$S($T z, $T& above, $T& below) {
  const bool far = is_far_$S(z);
  const $T within = {far ? ($C)0 : z.real, far ? ($C)0 : z.imag};
  above = sqrt_$S($T{1 + within.real, within.imag});
  below = sqrt_$S($T{1 - within.real, -within.imag});
})",
     "is_far_$S sqrt_$S", numbers},
    {"arcsin_$S", R"($T arcsin_$S($T z) {
  $T above, below;
  roots_$S(z, above, below);
  const bool far = is_far_$S(z);
  const $C real = arctan2_$R(z.real, far ? absolute_$R(z.imag) : (above * below).real);
  return {z.real == 0 ? z.real : real, far ? copysign_$R(log_twice_length_$S(z), z.imag)
                                           : arcsinh_$R((conj_$S(below) * above).imag)};
})",
     "roots_$S is_far_$S log_twice_length_$S absolute_$R arctan2_$R copysign_$R arcsinh_$R conj_$S", numbers},
    {"arccos_$S", R"($T arccos_$S($T z) {
  $T above, below;
  roots_$S(z, above, below);
  const bool far = is_far_$S(z);
  const $C real = far ? arctan2_$R(absolute_$R(z.imag), z.real) : ($C)2 * arctan2_$R(below.real, above.real);
  return {z.real == 0 ? ($C)0x1.921fb54442d18p0 : real, far ? -copysign_$R(log_twice_length_$S(z), z.imag)
                                                            : arcsinh_$R((conj_$S(above) * below).imag)};
})",
     "roots_$S is_far_$S log_twice_length_$S absolute_$R arctan2_$R copysign_$R arcsinh_$R conj_$S", numbers},
    {"arccosh_$S", R"($T arccosh_$S($T z) {
  const bool far = is_far_$S(z);
  const $T within = {far ? ($C)0 : z.real, far ? ($C)0 : z.imag};
  const $T below = sqrt_$S($T{within.real - 1, within.imag}), above = sqrt_$S($T{within.real + 1, within.imag});
  const $C angle = far ? arctan2_$R(z.imag, z.real) : ($C)2 * arctan2_$R(below.imag, above.real);
  return {far ? log_twice_length_$S(z) : arcsinh_$R((conj_$S(below) * above).real),
          z.real == 0 ? copysign_$R(($C)0x1.921fb54442d18p0, z.imag) : angle};
})",
     "is_far_$S sqrt_$S log_twice_length_$S arctan2_$R arcsinh_$R conj_$S copysign_$R", numbers},
    {"arctanh_$S", R"($T arctanh_$S($T z) {
  const $C x = absolute_$R(z.real), distance = hypot_$R(1 - x, z.imag);
  const $C ratio = ($C)4 * (x / distance) / distance;
  const $C real = (x == 0) | isinf_$S(z) ? ($C)0 : ($C)0.25 * log1p_$R(ratio);
  const $C turned = ($C)0.5 * arctan2_$R(z.imag, (($C)0.5 * (1 - x)) * (1 + x) - ($C)0.5 * z.imag * z.imag);
  return {copysign_$R(real, z.real),
          is_far_$S(z) & (z.imag == z.imag) ? copysign_$R(($C)0x1.921fb54442d18p0, z.imag) : turned};
})",
     "absolute_$R hypot_$R isinf_$S log1p_$R arctan2_$R copysign_$R is_far_$S", numbers},
    {"arcsinh_$S",
     "$T arcsinh_$S($T z) { const $T w = arcsin_$S($T{-z.imag, z.real}); return {w.imag, -w.real}; }",
     "arcsin_$S", numbers},
    {"arctan_$S",
     "$T arctan_$S($T z) { const $T w = arctanh_$S($T{-z.imag, z.real}); return {w.imag, -w.real}; }",
     "arctanh_$S", numbers},
};

}  // namespace

std::span<const function_template> common_complex() { return table; }

}  // namespace sinter::inline v0::codegen
