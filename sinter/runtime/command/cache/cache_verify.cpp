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

}  // namespace

exit_code run_cache_verify(const verify_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  const std::vector<entry_file> all = files.list();
  std::uint64_t bytes = 0, done = 0;
  for (const entry_file& file : all) bytes += file.bytes;

  std::array<std::uint64_t, 5> counts{};
  std::vector<finding> found;
  std::uint64_t removed = 0;
  bool refused = false;
  {
    progress_bar bar("verifying", bytes, to.shows_progress());
    for (const entry_file& file : all) {
      const read_entry read = files.read(file);
      ++counts[static_cast<std::size_t>(read.is)];
      bar.advance_to(done += file.bytes);
      if (read.is == read_entry::state::whole || read.is == read_entry::state::gone) continue;
      finding each{file, read.is, read.why, false};
      // entries of another version of the library may be intact, and belong to that version
      if (options.remove && read.is == read_entry::state::damaged) {
        each.removed = files.remove(file, each.why);
        if (each.removed)
          ++removed;
        else
          refused = true;
      }
      found.push_back(std::move(each));
    }
  }
  const auto count = [&](read_entry::state is) { return counts[static_cast<std::size_t>(is)]; };
  const std::uint64_t damaged = count(read_entry::state::damaged),
                      unreadable = count(read_entry::state::unreadable);

  if (options.json) {
    nlohmann::ordered_json faults = nlohmann::ordered_json::array();
    for (const finding& each : found)
      faults.push_back({{"key", each.file.name},
                        {"file", files.path() + "/" + file_name(each.file)},
                        {"state", to_string(each.is)},
                        {"why", each.why},
                        {"bytes", each.file.bytes},
                        {"removed", each.removed}});
    to.document({{"directory", files.path()},
                 {"exists", files.exists()},
                 {"entries", all.size()},
                 {"bytes", bytes},
                 {"whole", count(read_entry::state::whole)},
                 {"damaged", damaged},
                 {"other_format", count(read_entry::state::other_format)},
                 {"unreadable", unreadable},
                 {"removed", removed},
                 {"faults", std::move(faults)}});
  } else {
    table rows({{"KEY"}, {"STATE"}, {"SIZE", true}, {"WHY"}, {"DONE"}});
    for (const finding& each : found)
      rows.add({each.file.name,
                {to_string(each.is), each.is == read_entry::state::other_format ? tint::warn : tint::bad},
                readable_bytes(each.file.bytes),
                each.why,
                each.removed ? "removed" : ""});
    to.print(rows.text(to));
    if (!found.empty()) to.line("");
    to.line(fmt::format("{} of {} entries whole ({} read) in {}", count(read_entry::state::whole), all.size(),
                        readable_bytes(bytes), files.described_path()));
    if (damaged > removed)
      to.line(fmt::format("{} damaged: each costs one compile, which replaces it; --remove removes {} now.",
                          damaged, damaged == 1 ? "it" : "them"));
    if (unreadable > 0) to.line("What cannot be read is of no use to you; look at who owns the files.");
  }
  if (refused) return exit_code::failed;
  return damaged > removed || unreadable > 0 ? exit_code::no : exit_code::success;
}

}  // namespace sinter::inline v0::command
