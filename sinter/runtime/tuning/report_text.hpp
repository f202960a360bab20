#pragma once
// Numbers of tunings as text.

#include <sinter/runtime/tuning.hpp>

namespace sinter::inline v0::runtime {

/// The least memory traffic of a call.
double bytes_of(const tuning_report& report);

}  // namespace sinter::inline v0::runtime
