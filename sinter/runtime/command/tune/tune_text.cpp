#include "tune_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sinter::inline v0::command {

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
          {"cut", sinter::to_string(at.cut)},
          {"default_seconds", at.usual_seconds},
          {"tuned_seconds", at.chosen_seconds},
          {"gain", at.gain},
          {"gain_low", at.gain_low},
          {"gain_high", at.gain_high}};
}

}  // namespace sinter::inline v0::command
