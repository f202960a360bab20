// Functions of the half types that are not float's function rounded: they work on the bits of the half type.

#include "../tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

#define SINTER_NEXTAFTER(half)                                                        \
  "float nextafter_" half                                                             \
  "(float x, float y) {\n"                                                            \
  "  const unsigned short bits = store_" half                                         \
  "(x);\n"                                                                            \
  "  const float a = load_" half "(bits), b = load_" half "(store_" half              \
  "(y));\n"                                                                           \
  "  const bool grows = (b > a) == (a > 0.0f);\n"                                     \
  "  const unsigned short stepped = (unsigned short)(grows ? bits + 1 : bits - 1);\n" \
  "  const unsigned short least = (unsigned short)(b < 0.0f ? 0x8001 : 1);\n"         \
  "  const float next = load_" half                                                   \
  "(a == 0.0f ? least : stepped);\n"                                                  \
  "  return a != a ? a : b != b ? b : a == b ? b : next;\n"                           \
  "}"

constexpr function_template table[] = {
    {"nextafter_f16", SINTER_NEXTAFTER("f16"), "load_f16 store_f16"},
    {"nextafter_bf16", SINTER_NEXTAFTER("bf16"), "load_bf16 store_bf16"},
};

}  // namespace

std::span<const function_template> common_half() { return table; }

}  // namespace sinter::inline v0::codegen
