#pragma once

#include <doctest/doctest.h>

#include <sinter/runtime/cuda/nvrtc.hpp>

namespace sinter::test {

/// Whether a test that compiles for GPUs has to be skipped; says so, and why.
inline bool nvrtc_is_missing() {
  if (runtime::nvrtc() != nullptr) return false;
  MESSAGE("skipped: ", runtime::nvrtc_absence_reason());
  return true;
}

}  // namespace sinter::test
