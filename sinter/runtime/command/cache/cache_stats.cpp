// sinter cache stats: totals of the directory's entries.

#include <sinter/codegen/lowering.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "../options.hpp"
#include "../terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

struct group {
  std::uint64_t entries = 0, bytes = 0;
  double milliseconds = 0;  ///< time that compiling took
};
using groups = std::map<std::string, group>;

void count(groups& in, const std::string& name, const selected_entry& each) {
  group& at = in[name];
  ++at.entries;
  at.bytes += each.file.bytes;
  at.milliseconds += each.read.entry.compile_milliseconds;
}

nlohmann::ordered_json described(const group& of) {
  return {{"entries", of.entries}, {"bytes", of.bytes}, {"compile_milliseconds", of.milliseconds}};
}

nlohmann::ordered_json described(const groups& all) {
  nlohmann::ordered_json made = nlohmann::ordered_json::object();
  for (const auto& [name, each] : all) made[name] = described(each);
  return made;
}

}  // namespace

exit_code run_cache_stats(const cache_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  const std::uint64_t bound = cache_settings_from_environment().bytes;
  const std::vector<selected_entry> all = select(files, options.filter, true, to);
  groups targets, compilers, emitters, states;
  group whole;
  std::uint64_t bytes = 0;
  std::int64_t oldest = now(), newest = 0;
  for (const selected_entry& each : all) {
    bytes += each.file.bytes;
    oldest = std::min(oldest, each.file.used);
    newest = std::max(newest, each.file.used);
    count(states, to_string(each.read.is), each);
    if (each.read.is != read_entry::state::whole) continue;
    count(targets, target_of(each.read.entry), each);
    count(compilers, each.read.entry.compiler, each);
    const std::uint64_t emitter = emitter_of(each.read.entry);
    count(emitters, std::to_string(emitter), each);
    whole.milliseconds += each.read.entry.compile_milliseconds;
  }

  if (options.json) {
    nlohmann::ordered_json made{{"directory", files.path()},
                                {"exists", files.exists()},
                                {"entries", all.size()},
                                {"bytes", bytes},
                                {"bound", bound},
                                {"compile_milliseconds", whole.milliseconds},
                                {"states", described(states)},
                                {"targets", described(targets)},
                                {"compilers", described(compilers)},
                                {"emitters", described(emitters)},
                                {"emitter", emitter_version}};
    if (!all.empty()) {
      made["oldest_use"] = iso_time(oldest);
      made["newest_use"] = iso_time(newest);
    }
    to.document(made);
    return exit_code::success;
  }
  to.line(files.described_path());
  to.line(fmt::format("{} entries, {} of at most {}; compiling them took {}", all.size(),
                      readable_bytes(bytes), readable_bytes(bound),
                      readable_duration(whole.milliseconds / 1000)));
  if (!all.empty())
    to.line(fmt::format("last used: {} to {}", readable_age(now() - oldest), readable_age(now() - newest)));
  table rows({{"BY"}, {"WHICH"}, {"ENTRIES", true}, {"SIZE", true}, {"COMPILED IN", true}});
  const auto add = [&](const char* name, const groups& from) {
    for (const auto& [which, each] : from)
      rows.add({name, harmless(which), std::to_string(each.entries), readable_bytes(each.bytes),
                readable_duration(each.milliseconds / 1000)});
  };
  add("target", targets);
  add("compiler", compilers);
  add("emitter", emitters);
  if (states.size() > 1 || !states.contains("whole")) add("state", states);
  if (rows.rows() > 0) to.line("");
  to.print(rows.text(to));
  if (emitters.size() > 1)
    to.line(fmt::format("\nThis Sinter emits version {}; entries of others serve other versions only.",
                        emitter_version));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
