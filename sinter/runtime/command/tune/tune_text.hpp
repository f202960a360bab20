#pragma once
// Times, rates and gains of tunings, as several tune commands write them.

#include <sinter/runtime/base/rates.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>
#include <sinter/runtime/tuning/report_text.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace sinter::inline v0::command {

using runtime::bytes_of;
using runtime::rate_text;
using runtime::time_text;
/// "3.1% (2.5 to 3.9)", "none".
std::string gain_text(const tuning_report& report);
/// What --json tells of a record.
nlohmann::ordered_json json_of(const runtime::tuning_record& record);

}  // namespace sinter::inline v0::command
