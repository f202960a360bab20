// Host text of the conversions to and from float16: F16C instructions, which Clang forms from _Float16 and vectorises.

#include "tables.hpp"

namespace sinter::codegen {
namespace {

constexpr function_template table[] = {
    {"load_f16", "float load_f16(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }"},
    {"store_f16", "unsigned short store_f16(float x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }"},
};

}  // namespace

std::span<const function_template> host_conversion() { return table; }

}  // namespace sinter::codegen
