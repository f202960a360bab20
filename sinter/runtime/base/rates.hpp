#pragma once
// Times and rates as readable text.

#include <string>

namespace sinter::inline v0::runtime {

/// "12.34 us", "4.567 ms", "1.23 s".
std::string time_text(double seconds);
/// "12.3 GB/s".
std::string rate_text(double bytes_per_second);

}  // namespace sinter::inline v0::runtime
