// sinter cache verify: reads every entry, reports unusable ones, and removes them on request.

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "../options.hpp"
#include "../terminal/progress.hpp"
#include "../terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

struct finding {
  entry_file file;
  read_entry::state is;
  std::string why;
  bool removed;
};

struct findings {
  std::size_t entries = 0;
  std::uint64_t bytes = 0, removed = 0;
  bool refused = false;  ///< a damaged entry could not be removed
  std::array<std::uint64_t, 5> counts{};
  std::vector<finding> faults;

  std::uint64_t count(read_entry::state is) const { return counts[static_cast<std::size_t>(is)]; }
  std::uint64_t damaged() const { return count(read_entry::state::damaged); }
  std::uint64_t unreadable() const { return count(read_entry::state::unreadable); }
};

findings read_all(const cache_files& files, const verify_options& options, const console& to) {
  const std::vector<entry_file> all = files.list();
  findings found;
  found.entries = all.size();
  for (const entry_file& file : all) found.bytes += file.bytes;
  std::uint64_t done = 0;
  progress_bar bar("verifying", found.bytes, to.shows_progress());
  for (const entry_file& file : all) {
    const read_entry read = files.read(file);
    ++found.counts[static_cast<std::size_t>(read.is)];
    bar.advance_to(done += file.bytes);
    if (read.is == read_entry::state::whole || read.is == read_entry::state::gone) continue;
    finding each{file, read.is, read.why, false};
    // entries of another version of the library may be intact, and belong to that version
    if (options.remove && read.is == read_entry::state::damaged) {
      each.removed = files.remove(file, each.why);
      if (each.removed)
        ++found.removed;
      else
        found.refused = true;
    }
    found.faults.push_back(std::move(each));
  }
  return found;
}

nlohmann::ordered_json document_of(const findings& found, const cache_files& files) {
  nlohmann::ordered_json faults = nlohmann::ordered_json::array();
  for (const finding& each : found.faults)
    faults.push_back({{"key", each.file.name},
                      {"file", files.path() + "/" + file_name(each.file)},
                      {"state", to_string(each.is)},
                      {"why", each.why},
                      {"bytes", each.file.bytes},
                      {"removed", each.removed}});
  return {{"directory", files.path()},
          {"exists", files.exists()},
          {"entries", found.entries},
          {"bytes", found.bytes},
          {"whole", found.count(read_entry::state::whole)},
          {"damaged", found.damaged()},
          {"other_format", found.count(read_entry::state::other_format)},
          {"unreadable", found.unreadable()},
          {"removed", found.removed},
          {"faults", std::move(faults)}};
}

void print(const findings& found, const cache_files& files, const console& to) {
  table rows({{"KEY"}, {"STATE"}, {"SIZE", true}, {"WHY"}, {"DONE"}});
  for (const finding& each : found.faults)
    rows.add({each.file.name,
              {to_string(each.is), each.is == read_entry::state::other_format ? tint::warn : tint::bad},
              readable_bytes(each.file.bytes),
              each.why,
              each.removed ? "removed" : ""});
  to.print(rows.text(to));
  if (!found.faults.empty()) to.line("");
  to.line(fmt::format("{} of {} entries whole ({} read) in {}", found.count(read_entry::state::whole),
                      found.entries, readable_bytes(found.bytes), files.described_path()));
  if (found.damaged() > found.removed)
    to.line(fmt::format("{} damaged: each costs one compile, which replaces it; --remove removes {} now.",
                        found.damaged(), found.damaged() == 1 ? "it" : "them"));
  if (found.unreadable() > 0) to.line("What cannot be read is of no use to you; look at who owns the files.");
}

}  // namespace

exit_code run_cache_verify(const verify_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  const findings found = read_all(files, options, to);
  if (options.json)
    to.document(document_of(found, files));
  else
    print(found, files, to);
  if (found.refused) return exit_code::failed;
  return found.damaged() > found.removed || found.unreadable() > 0 ? exit_code::no : exit_code::success;
}

}  // namespace sinter::inline v0::command
