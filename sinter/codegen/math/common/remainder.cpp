// Division of floats with an integer quotient, as in NumPy: everything follows from fmod, which is exact.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";

constexpr function_template table[] = {
    // `r` is fmod(x, y) in all of these. A zero remainder has the divisor's sign.
    {"remainder_from_$S", R"($T remainder_from_$S($T y, $T r) {
  const $T moved = (r < 0) != (y < 0) ? r + y : r;
  return r == 0 ? copysign_$S(($T)0, y) : moved;
})",
     "copysign_$S", floats},
    // (x - r) / y is an integer up to rounding: takes the nearest one. Division by zero gives the quotient
    // itself.
    {"floor_divide_from_$S", R"($T floor_divide_from_$S($T x, $T y, $T r) {
  const $T q = (x - r) / y;
  const $T lowered = r != 0 && (r < 0) != (y < 0) ? q - 1 : q;
  const $T below = floor_$S(lowered);
  const $T whole = lowered - below > ($T)0.5 ? below + 1 : below;
  return y == 0 ? x / y : lowered == 0 ? copysign_$S(($T)0, x / y) : whole;
})",
     "copysign_$S floor_$S", floats},
    {"trunc_divide_from_$S", R"($T trunc_divide_from_$S($T x, $T y, $T r) {
  return y == 0 ? x / y : copysign_$S(rint_$S((x - r) / y), x / y);
})",
     "copysign_$S rint_$S", floats},

    {"remainder_$S", "$T remainder_$S($T x, $T y) { return remainder_from_$S(y, fmod_$S(x, y)); }",
     "fmod_$S remainder_from_$S", floats},
    {"floor_divide_$S",
     "$T floor_divide_$S($T x, $T y) { return floor_divide_from_$S(x, y, fmod_$S(x, y)); }",
     "fmod_$S floor_divide_from_$S", floats},
    {"trunc_divide_$S",
     "$T trunc_divide_$S($T x, $T y) { return trunc_divide_from_$S(x, y, fmod_$S(x, y)); }",
     "fmod_$S trunc_divide_from_$S", floats},
};

}  // namespace

std::span<const function_template> common_remainder() { return table; }

}  // namespace sinter::inline v0::codegen
