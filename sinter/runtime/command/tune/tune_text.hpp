#pragma once
// Times, rates and gains of tunings, as several tune commands write them.

#include <sinter/runtime/tuning/tuning_file.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace sinter::inline v0::command {

/// "12.3 us", "4.56 ms", "1.23 s".
std::string time_text(double seconds);
/// "3.1% (2.5 to 3.9)", "none".
std::string gain_text(const tuning_report& report);
/// What --json tells of a record.
nlohmann::ordered_json json_of(const runtime::tuning_record& record);
/// The least memory traffic of a call.
double bytes_of(const tuning_report& report);
/// "12.3 GB/s".
std::string rate_text(double bytes_per_second);

}  // namespace sinter::inline v0::command
