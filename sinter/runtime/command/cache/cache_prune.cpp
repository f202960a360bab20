// sinter cache prune: evicts the least recently used entries.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/cache/directory_store.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../options.hpp"
#include "../terminal/units.hpp"

namespace sinter::inline v0::command {

exit_code run_cache_prune(const prune_options& options) {
  const console to(options.json);
  const cache_files files(chosen_directory(options.directory));
  std::uint64_t most = cache_settings_from_environment().bytes;
  if (!options.bytes.empty()) {
    const std::optional<std::uint64_t> given = parse_bytes(options.bytes);
    if (!given)
      throw failure(
          fmt::format("--bytes {}: say a number of bytes, as in 4096, 200M or 1.5GiB", options.bytes),
          exit_code::usage);
    most = *given;
  }
  runtime::usage_scan scan;
  if (files.exists())
    scan = runtime::directory_store(files.path(), runtime::folder_access::own, most).prune(most);
  // if the rest does not fit, the system refused to remove entries
  const bool fits = scan.bytes <= most;
  if (options.json) {
    to.document({{"directory", files.path()},
                 {"exists", files.exists()},
                 {"bound", most},
                 {"removed", scan.removed},
                 {"removed_bytes", scan.removed_bytes},
                 {"entries", scan.entries},
                 {"bytes", scan.bytes}});
  } else {
    to.line(fmt::format("{} entries removed ({}); {} left ({}, the bound is {}) in {}", scan.removed,
                        readable_bytes(scan.removed_bytes), scan.entries, readable_bytes(scan.bytes),
                        readable_bytes(most), files.described_path()));
  }
  if (!fits)
    throw failure(fmt::format("{} could not be brought under {}: the system lets some entries not be removed",
                              files.path(), readable_bytes(most)));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
