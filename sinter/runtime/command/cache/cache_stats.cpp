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

struct totals {
  std::uint64_t entries = 0, bytes = 0;
  std::uint64_t bound = cache_settings_from_environment().bytes;
  double milliseconds = 0;  ///< time that compiling took
  std::int64_t oldest = now(), newest = 0;
  groups targets, compilers, emitters, states;
};

totals total_of(const std::vector<selected_entry>& all) {
  totals of;
  of.entries = all.size();
  for (const selected_entry& each : all) {
    of.bytes += each.file.bytes;
    of.oldest = std::min(of.oldest, each.file.used);
    of.newest = std::max(of.newest, each.file.used);
    count(of.states, to_string(each.read.is), each);
    if (each.read.is != read_entry::state::whole) continue;
    count(of.targets, target_of(each.read.entry), each);
    count(of.compilers, each.read.entry.compiler, each);
    count(of.emitters, std::to_string(emitter_of(each.read.entry)), each);
    of.milliseconds += each.read.entry.compile_milliseconds;
  }
  return of;
}

nlohmann::ordered_json document_of(const totals& of, const cache_files& files) {
  nlohmann::ordered_json made{{"directory", files.path()},
                              {"exists", files.exists()},
                              {"entries", of.entries},
                              {"bytes", of.bytes},
                              {"bound", of.bound},
                              {"compile_milliseconds", of.milliseconds},
                              {"states", described(of.states)},
                              {"targets", described(of.targets)},
                              {"compilers", described(of.compilers)},
                              {"emitters", described(of.emitters)},
                              {"emitter", emitter_version}};
  if (of.entries != 0) {
    made["oldest_use"] = iso_time(of.oldest);
    made["newest_use"] = iso_time(of.newest);
  }
  return made;
}

void print(const totals& of, const cache_files& files, const console& to) {
  to.line(files.described_path());
  to.line(fmt::format("{} entries, {} of at most {}; compiling them took {}", of.entries,
                      readable_bytes(of.bytes), readable_bytes(of.bound),
                      readable_duration(of.milliseconds / 1000)));
  if (of.entries != 0)
    to.line(
        fmt::format("last used: {} to {}", readable_age(now() - of.oldest), readable_age(now() - of.newest)));
  table rows({{"BY"}, {"WHICH"}, {"ENTRIES", true}, {"SIZE", true}, {"COMPILED IN", true}});
  const auto add = [&](const char* name, const groups& from) {
    for (const auto& [which, each] : from)
      rows.add({name, harmless(which), std::to_string(each.entries), readable_bytes(each.bytes),
                readable_duration(each.milliseconds / 1000)});
  };
  add("target", of.targets);
  add("compiler", of.compilers);
  add("emitter", of.emitters);
  if (of.states.size() > 1 || !of.states.contains("whole")) add("state", of.states);
  if (rows.rows() > 0) to.line("");
  to.print(rows.text(to));
  if (of.emitters.size() > 1)
    to.line(fmt::format("\nThis Sinter emits version {}; entries of others serve other versions only.",
                        emitter_version));
}

}  // namespace

exit_code run_cache_stats(const cache_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  const totals all = total_of(select(files, options.filter, true, to));
  if (options.json)
    to.document(document_of(all, files));
  else
    print(all, files, to);
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
