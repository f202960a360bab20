#pragma once

#include "../needs.hpp"

namespace sinter::test {

/// Whether a test that compiles for GPUs has to be skipped.
inline bool nvrtc_is_missing() { return lacks_nvrtc(); }

}  // namespace sinter::test
