// CPU text of fast mode, where it gains something. Trigonometric functions are not here: standard mode
// already has a fast path near zero, and a loop leaves it only for pieces with other arguments.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

constexpr function_template table[] = {
    {"rsqrt_$S", "$T rsqrt_$S($T x) { return ($T)1 / __builtin_sqrt$F(x); }", "", "f32 f64"},
};

}  // namespace

std::span<const function_template> cpu_fast() { return table; }

}  // namespace sinter::inline v0::codegen
