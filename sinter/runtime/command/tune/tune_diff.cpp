// sinter tune diff: compares two files of tunings.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "../terminal/units.hpp"
#include "tune_options.hpp"
#include "tune_text.hpp"

namespace sinter::inline v0::command {
namespace {

using records_by_call = std::map<runtime::tuned_key, runtime::tuning_record>;

/// Of several records of the same calls the one that counts: that with the largest gain.
records_by_call records_of(const std::string& file) {
  records_by_call made;
  for (runtime::tuning_record& each : runtime::read_tuning_file(file)) {
    const runtime::tuned_key key{each.report.graph, each.report.device, each.report.call};
    const auto known = made.find(key);
    if (known == made.end() || known->second.report.gain < each.report.gain)
      made.insert_or_assign(key, std::move(each));
  }
  return made;
}

/// The winners of all kernels, or that the default stays.
std::string winners_of(const tuning_report& report) {
  if (!report.has_winner()) return "the default";
  std::vector<std::string> all;
  if (report.cut != cut_choice()) all.push_back(sinter::to_string(report.cut));
  for (const tuned_stage& each : report.stages) all.push_back(sinter::to_string(each.chosen));
  return fmt::format("{}", fmt::join(all, "; "));
}

/// What differs between two records of the same calls; empty if nothing that counts does.
std::vector<std::string> differences(const runtime::tuning_record& before,
                                     const runtime::tuning_record& after) {
  std::vector<std::string> all;
  const tuning_report &a = before.report, &b = after.report;
  if (before.emitter != after.emitter)
    all.push_back(fmt::format("emitter {} -> {}", before.emitter, after.emitter));
  if (const std::string was = winners_of(a), is = winners_of(b); was != is)
    all.push_back(fmt::format("winner {} -> {}", was, is));
  if (a.gain_low > b.gain_high || b.gain_low > a.gain_high)
    all.push_back(fmt::format("gain {} -> {}", gain_text(a), gain_text(b)));
  return all;
}

struct differing_call {
  const tuning_report* report = nullptr;
  std::vector<std::string> what;
};

std::vector<differing_call> compare(const records_by_call& before, const records_by_call& after,
                                    const tune_diff_options& options) {
  std::vector<differing_call> all;
  for (const auto& [key, record] : before) {
    const auto other = after.find(key);
    if (other == after.end())
      all.push_back({&record.report, {"only in " + options.before}});
    else if (std::vector<std::string> what = differences(record, other->second); !what.empty())
      all.push_back({&record.report, std::move(what)});
  }
  for (const auto& [key, record] : after)
    if (!before.contains(key)) all.push_back({&record.report, {"only in " + options.after}});
  return all;
}

}  // namespace

exit_code run_tune_diff(const tune_diff_options& options) {
  const console to(options.json);
  const records_by_call before = records_of(options.before), after = records_of(options.after);
  const std::vector<differing_call> all = compare(before, after, options);
  if (options.json) {
    nlohmann::ordered_json told = nlohmann::ordered_json::array();
    for (const differing_call& each : all)
      told.push_back({{"function", each.report->function},
                      {"graph", each.report->graph},
                      {"device", each.report->device},
                      {"call", each.report->call},
                      {"differences", each.what}});
    to.document(told);
  } else {
    for (const differing_call& each : all) {
      to.line(fmt::format("{} on {} for {}", harmless(each.report->function), harmless(each.report->device),
                          harmless(each.report->call)));
      for (const std::string& what : each.what) to.line("  " + harmless(what));
    }
  }
  return all.empty() ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
