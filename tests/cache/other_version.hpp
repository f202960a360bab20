#pragma once
// Included before the sources of the library that know its version, to build them as another one.

#include <sinter/codegen/lowering.hpp>

namespace sinter {
inline constexpr int other_emitter_version = emitter_version + 1000;
}
#define emitter_version other_emitter_version
