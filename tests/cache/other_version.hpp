#pragma once
// Included before the library's sources that use its version, to build them as another version.

#include <sinter/codegen/lowering.hpp>

namespace sinter {
inline constexpr int other_emitter_version = emitter_version + 1000;
}
#define emitter_version other_emitter_version
