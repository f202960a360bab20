// sinter tune list, show and merge: what files of tunings hold.

#include <sinter/runtime/posix/whole_file.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../terminal/units.hpp"
#include "tune_options.hpp"
#include "tune_page.hpp"
#include "tune_text.hpp"

namespace sinter::inline v0::command {
namespace {

std::vector<runtime::tuning_record> records_of(const std::vector<std::string>& files) {
  std::vector<runtime::tuning_record> all;
  for (const std::string& file : files)
    for (runtime::tuning_record& each : runtime::read_tuning_file(file)) all.push_back(std::move(each));
  return all;
}

nlohmann::ordered_json json_of_all(const std::vector<runtime::tuning_record>& records) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const runtime::tuning_record& each : records) all.push_back(json_of(each));
  return all;
}

}  // namespace

exit_code run_tune_list(const tune_list_options& options) {
  const console to(options.json);
  const std::vector<runtime::tuning_record> records = records_of(options.files);
  if (options.json) {
    to.document(json_of_all(records));
    return exit_code::success;
  }
  table rows({{"FUNCTION"}, {"DEVICE"}, {"DEFAULT", true}, {"TUNED", true}, {"GAIN"}, {"CALL"}});
  for (const auto& [report, emitter] : records)
    rows.add({harmless(report.function),
              harmless(report.device),
              time_text(report.usual_seconds),
              time_text(report.chosen_seconds),
              {gain_text(report), report.has_winner() ? tint::good : tint::plain},
              harmless(report.call)});
  to.print(rows.text(to));
  to.line(fmt::format("{} tuning{}", records.size(), records.size() == 1 ? "" : "s"));
  return exit_code::success;
}

exit_code run_tune_show(const tune_show_options& options) {
  const console to(options.json);
  std::vector<runtime::tuning_record> records = runtime::read_tuning_file(options.file);
  std::erase_if(records, [&](const runtime::tuning_record& each) {
    return !fits("*" + options.pattern + "*", each.report.function);
  });
  if (records.empty())
    throw failure(fmt::format("'{}' has no tuning of a function named '{}': 'sinter tune list' tells which "
                              "there are",
                              options.file, harmless(options.pattern)),
                  exit_code::no);
  if (!options.page.empty()) write_page(options.page, records);
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const runtime::tuning_record& each : records) {
      nlohmann::ordered_json shown = json_of(each);
      shown["report"] = sinter::to_string(each.report);
      all.push_back(std::move(shown));
    }
    to.document(all);
  } else if (options.page.empty()) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i != 0) to.line("");
      to.foreign(sinter::to_string(records[i].report));
    }
  }
  return exit_code::success;
}

exit_code run_tune_merge(const tune_merge_options& options) {
  const console to(options.json);
  const std::string text = runtime::to_text(records_of(options.files));
  const std::size_t records = runtime::read_tunings(text, options.output).size();
  runtime::write_whole_file(options.output, text);
  if (options.json)
    to.document({{"file", options.output}, {"tunings", records}});
  else
    to.line(fmt::format("{} tunings of {} files in {}", records, options.files.size(), options.output));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
