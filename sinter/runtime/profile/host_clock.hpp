#pragma once

#include <chrono>

namespace sinter::inline v0::runtime {

/// Seconds of the host's steady clock.
inline double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sinter::inline v0::runtime
