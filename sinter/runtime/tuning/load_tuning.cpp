#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/tuned/call_class.hpp>
#include <sinter/runtime/tuned/tuned_calls.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>
#include <sinter/runtime/tuning.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

std::set<std::string> models_here() {
  std::set<std::string> models;
  for (const device& each : devices()) models.insert(runtime::model_of(each));
  return models;
}

}  // namespace

std::size_t load_tuning(const std::string& path) {
  const std::vector<runtime::tuning_record> records = runtime::read_tuning_file(path);
  const std::set<std::string> here = models_here();
  std::set<std::string> elsewhere;
  std::vector<runtime::tuned_entry> entries;
  for (const auto& [key, report] : runtime::best_records(records)) {
    if (here.contains(key.device))
      entries.push_back(runtime::entry_of(report, path));
    else
      elsewhere.insert(key.device);
  }
  const auto of_other_versions = std::ranges::count_if(
      records, [](const runtime::tuning_record& each) { return each.emitter != emitter_version; });
  runtime::set_tuned(entries);
  runtime::renumber_functions(nullptr);
  if (of_other_versions != 0)
    runtime::report(
        log_level::warning,
        fmt::format("tuning file {}: {} of {} records were measured by another version of the emitter "
                    "than {}, and are not used: tune again",
                    path, of_other_versions, records.size(), emitter_version));
  if (entries.empty() && !elsewhere.empty())
    runtime::report(log_level::warning,
                    fmt::format("tuning file {}: its records are for other devices ({}), here are: {}", path,
                                fmt::join(elsewhere, "; "), fmt::join(here, "; ")));
  return entries.size();
}

void forget_tuning() {
  runtime::clear_tuned();
  runtime::renumber_functions(nullptr);
}

}  // namespace sinter::inline v0
