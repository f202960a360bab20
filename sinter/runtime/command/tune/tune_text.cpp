#include "tune_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sinter::inline v0::command {

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string gain_text(const tuning_report& report) {
  if (!report.has_winner()) return "none";
  return fmt::format("{:.1f}% ({:.1f} to {:.1f})", 100 * report.gain, 100 * report.gain_low,
                     100 * report.gain_high);
}

nlohmann::ordered_json json_of(const runtime::tuning_record& record) {
  const tuning_report& at = record.report;
  return {{"function", at.function},
          {"graph", at.graph},
          {"device", at.device},
          {"call", at.call},
          {"emitter", record.emitter},
          {"default_seconds", at.usual_seconds},
          {"tuned_seconds", at.chosen_seconds},
          {"gain", at.gain},
          {"gain_low", at.gain_low},
          {"gain_high", at.gain_high}};
}

double bytes_of(const tuning_report& report) {
  double bytes = 0;
  for (const tuned_stage& each : report.stages) bytes += static_cast<double>(each.bytes_moved);
  return bytes;
}

std::string rate_text(double bytes_per_second) {
  if (bytes_per_second < 1e9) return fmt::format("{:.3g} MB/s", bytes_per_second * 1e-6);
  return bytes_per_second < 1e12 ? fmt::format("{:.3g} GB/s", bytes_per_second * 1e-9)
                                 : fmt::format("{:.3g} TB/s", bytes_per_second * 1e-12);
}

}  // namespace sinter::inline v0::command
