#pragma once
// Numbers of tunings as text.

#include <sinter/runtime/tuning.hpp>

#include <string>

namespace sinter::inline v0::runtime {

/// "12.34 us", "4.567 ms", "1.23 s".
std::string time_text(double seconds);
/// "12.3 GB/s".
std::string rate_text(double bytes_per_second);
/// The least memory traffic of a call.
double bytes_of(const tuning_report& report);

}  // namespace sinter::inline v0::runtime
