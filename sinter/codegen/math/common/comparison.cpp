// Minimum and maximum of every type. -0 is below +0, as in PTX, so that both targets agree.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";
constexpr std::string_view integers = "b8 i8 i16 i32 i64 u8 u16 u32 u64";

constexpr function_template table[] = {
    // Whether x at position p wins over y at position q: the first NaN, else the extreme at the lowest
    // position.
    // "later": the same for an x at any later position than y's.
    {"argmax_later_$S", "bool argmax_later_$S($T x, $T y) { return !(x <= y) & (y == y); }", "", "f32 f64"},
    {"argmin_later_$S", "bool argmin_later_$S($T x, $T y) { return !(x >= y) & (y == y); }", "", "f32 f64"},
    {"argmax_later_$S", "bool argmax_later_$S($T x, $T y) { return x > y; }", "",
     "i8 i16 i32 i64 u8 u16 u32 u64"},
    {"argmin_later_$S", "bool argmin_later_$S($T x, $T y) { return x < y; }", "",
     "i8 i16 i32 i64 u8 u16 u32 u64"},
    {"argmax_$S", R"(bool argmax_$S($T x, long long p, $T y, long long q) {
  const bool x_is_nan = x != x, y_is_nan = y != y;
  const bool better = x_is_nan != y_is_nan ? x_is_nan : x > y, equal = x == y || (x_is_nan && y_is_nan);
  return better || (equal && p < q);
})",
     "", "f32 f64"},
    {"argmin_$S", R"(bool argmin_$S($T x, long long p, $T y, long long q) {
  const bool x_is_nan = x != x, y_is_nan = y != y;
  const bool better = x_is_nan != y_is_nan ? x_is_nan : x < y, equal = x == y || (x_is_nan && y_is_nan);
  return better || (equal && p < q);
})",
     "", "f32 f64"},
    {"argmax_$S",
     "bool argmax_$S($T x, long long p, $T y, long long q) { return x > y || (x == y && p < q); }", "",
     "i8 i16 i32 i64 u8 u16 u32 u64"},
    {"argmin_$S",
     "bool argmin_$S($T x, long long p, $T y, long long q) { return x < y || (x == y && p < q); }", "",
     "i8 i16 i32 i64 u8 u16 u32 u64"},
    // Two comparisons, whose choices are one instruction each on x86-64 (vminps), differ where neither
    // operand
    // is below the other: for zeros, and where one is NaN. The bits of both together are then the lesser
    // zero,
    // and NaN. Of a maximum the sign is that of both.
    {"minimum_$S", R"($T minimum_$S($T x, $T y) {
  const $T a = x < y ? x : y, b = y < x ? y : x;
  return __builtin_bit_cast($T, __builtin_bit_cast($U, a) | __builtin_bit_cast($U, b));
})",
     "", floats},
    {"maximum_$S", R"($T maximum_$S($T x, $T y) {
  const $T a = x > y ? x : y, b = y > x ? y : x;
  const $U i = __builtin_bit_cast($U, a), j = __builtin_bit_cast($U, b);
  return __builtin_bit_cast($T, (i | j) & ~((i ^ j) & ($U)1 << ($W - 1)));
})",
     "", floats},
    // By a bound that is neither NaN nor -0 one comparison decides: of equal numbers other than zeros all
    // bits
    // are equal, of zeros maximum takes the bound and minimum the other one, and NaN is not ordered. The
    // bound
    // is a constant, so the compiler knows which of two comparisons it is.
    {"minimum_bound_f64", "double minimum_bound_f64(double x, double y) { return x > y ? y : x; }"},
    {"maximum_bound_f64",
     "double maximum_bound_f64(double x, double y) { return y == 0.0 ? x <= y ? y : x : x < y ? y : x; }"},
    {"clip_bound_f64",
     "double clip_bound_f64(double x, double low, double high) "
     "{ return minimum_bound_f64(maximum_bound_f64(x, low), high); }",
     "minimum_bound_f64 maximum_bound_f64"},
    {"fmin_$S", R"($T fmin_$S($T x, $T y) {
  const $T tie = __builtin_bit_cast($T, __builtin_bit_cast($U, x) | __builtin_bit_cast($U, y));
  const $T r = x < y ? x : y;
  return y != y ? x : x == y ? tie : r;
})",
     "", floats},
    {"fmax_$S", R"($T fmax_$S($T x, $T y) {
  const $T tie = __builtin_bit_cast($T, __builtin_bit_cast($U, x) & __builtin_bit_cast($U, y));
  const $T r = x > y ? x : y;
  return y != y ? x : x == y ? tie : r;
})",
     "", floats},
    {"minimum_$S", "$T minimum_$S($T x, $T y) { return x < y ? x : y; }", "", integers},
    {"maximum_$S", "$T maximum_$S($T x, $T y) { return x > y ? x : y; }", "", integers},
    {"fmin_$S", "$T fmin_$S($T x, $T y) { return x < y ? x : y; }", "", integers},
    {"fmax_$S", "$T fmax_$S($T x, $T y) { return x > y ? x : y; }", "", integers},
    // NumPy's order of operations: if the bounds cross, the upper one wins.
    {"clip_$S", "$T clip_$S($T x, $T low, $T high) { return minimum_$S(maximum_$S(x, low), high); }",
     "minimum_$S maximum_$S", "b8 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64"},
};

}  // namespace

std::span<const function_template> common_comparison() { return table; }

}  // namespace sinter::inline v0::codegen
