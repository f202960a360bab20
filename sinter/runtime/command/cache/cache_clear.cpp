// sinter cache clear: removes entries after confirmation.

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "../options.hpp"
#include "../system.hpp"
#include "../terminal/progress.hpp"
#include "../terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

bool is_agreed(const std::string& question) {
  if (!input_is_terminal())
    throw failure("clearing asks first, and there is no terminal to ask on: say --yes", exit_code::usage);
  std::fputs((question + " [y/N] ").c_str(), stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

exit_code run_cache_clear(const clear_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  const std::vector<selected_entry> all = select(files, options.filter, false, to);
  std::uint64_t bytes = 0, removed = 0, removed_bytes = 0;
  for (const selected_entry& each : all) bytes += each.file.bytes;
  const bool agreed = options.yes || all.empty() ||
                      is_agreed(fmt::format("Remove {} entries ({}) of {}?", all.size(),
                                            readable_bytes(bytes), files.path()));
  std::string why;
  if (agreed) {
    progress_bar bar("clearing", all.size(), to.shows_progress());
    std::uint64_t done = 0;
    for (const selected_entry& each : all) {
      bar.advance_to(++done);
      if (!files.remove(each.file, why)) continue;
      ++removed;
      removed_bytes += each.file.bytes;
    }
  }
  if (options.json)
    to.document({{"directory", files.path()},
                 {"exists", files.exists()},
                 {"selected", all.size()},
                 {"removed", removed},
                 {"removed_bytes", removed_bytes}});
  else if (!agreed)
    to.line("Nothing was removed.");
  else
    to.line(fmt::format("{} entries removed ({}) from {}", removed, readable_bytes(removed_bytes),
                        files.described_path()));
  if (!why.empty())
    throw failure(fmt::format("{} entries could not be removed: {}", all.size() - removed, why));
  return agreed ? exit_code::success : exit_code::no;
}

}  // namespace sinter::inline v0::command
