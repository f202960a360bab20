#pragma once
// The options of the command line, one record per subcommand, and the functions that run the subcommands.
// command_line.cpp fills the records; each function has its own file.

#include <cstdint>
#include <optional>
#include <string>

#include "cache/cache_files.hpp"
#include "failure.hpp"
#include "terminal/output.hpp"

namespace sinter::inline v0::command {

struct command_node;

/// Options of every subcommand.
struct common_options {
  bool json = false;
};

struct cache_options : common_options {
  std::string directory;
  entry_filter filter;
};

struct list_options : cache_options {
  std::string sort = "used";
  bool reverse = false, full_keys = false, only_keys = false;
};
struct verify_options : cache_options {
  bool remove = false;
};
struct prune_options : cache_options {
  std::string bytes;
};
struct clear_options : cache_options {
  bool yes = false;
};
struct export_options : cache_options {
  std::string file;
  bool force = false;
};
struct import_options : common_options {
  std::string directory, file;
};
struct show_options : cache_options {
  std::string key;
  std::string pack;  ///< the file of a pack to look in instead of the cache
  bool graph = false, text = false, ptx = false, assembly = false, schedule = false, log = false;
};

exit_code run_doctor(const common_options& options);
exit_code run_version(const common_options& options);
exit_code run_cache_list(const list_options& options);
exit_code run_cache_verify(const verify_options& options);
exit_code run_cache_prune(const prune_options& options);
exit_code run_cache_clear(const clear_options& options);
exit_code run_cache_stats(const cache_options& options);
exit_code run_cache_export(const export_options& options);
exit_code run_cache_import(const import_options& options);
exit_code run_show(const show_options& options);

}  // namespace sinter::inline v0::command
