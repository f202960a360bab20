// Sums in the logarithmic domain: max + log(1 + exp(-gap)). The rounding error of the gap is corrected,
// because near a maximum of 0 the result is exp(-gap) alone. Equal infinities have a gap of NaN; NaN operands
// give NaN.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view floats = "f32 f64";

constexpr function_template table[] = {
    {"logaddexp_gap_$S", R"(void logaddexp_gap_$S($T larger, $T smaller, $T& gap, $T& low) {
  gap = larger == smaller ? ($T)0 : larger - smaller;
  const $T part = gap - larger;
  const $T error = (larger - (gap - part)) - (smaller + part);
  low = gap > 0 && isfinite_$S(gap) ? error : ($T)0;
})",
     "isfinite_$S", floats},
    {"logaddexp_$S", R"($T logaddexp_$S($T x, $T y) {
  const $T larger = x > y ? x : y;
  $T gap, low;
  logaddexp_gap_$S(larger, x > y ? y : x, gap, low);
  const $T e = exp_$S(-gap);
  const $T r = larger + log1p_$S(fma_$S(e, -low, e));
  return x != x ? x : y != y ? y : r;
})",
     "logaddexp_gap_$S exp_$S log1p_$S fma_$S", floats},
    {"logaddexp2_$S", R"($T logaddexp2_$S($T x, $T y) {
  const $T larger = x > y ? x : y;
  $T gap, low;
  logaddexp_gap_$S(larger, x > y ? y : x, gap, low);
  const $T e = exp2_$S(-gap);
  const $T tail = log1p_$S(fma_$S(e, low * ($T)-0x1.62e42fefa39efp-1, e));
  const $T r = fma_$S(tail, ($T)0x1.71547652b82fep+0, larger);
  return x != x ? x : y != y ? y : r;
})",
     "logaddexp_gap_$S exp2_$S log1p_$S fma_$S", floats},
};

}  // namespace

std::span<const function_template> common_logarithm() { return table; }

}  // namespace sinter::inline v0::codegen
