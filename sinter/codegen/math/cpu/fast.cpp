// Host text of fast mode, where it is worth something. Trigonometric functions are not here: their cheap form
// is that of standard mode near zero, which a loop leaves only for pieces with arguments that need more.

#include "../tables.hpp"

namespace sinter::codegen {
namespace {

constexpr function_template table[] = {
    {"rsqrt_$S", "$T rsqrt_$S($T x) { return ($T)1 / __builtin_sqrt$F(x); }", "", "f32 f64"},
};

}  // namespace

std::span<const function_template> host_fast() { return table; }

}  // namespace sinter::codegen
