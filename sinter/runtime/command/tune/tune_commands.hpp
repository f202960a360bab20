#pragma once
// The tune commands in the tree of subcommands.

#include <functional>
#include <string>
#include <vector>

#include "tune_options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;       // NOLINT(readability-identifier-naming)
}

namespace sinter::inline v0::command {

/// The records that the parser fills. They outlive the parser.
class tune_commands {
 public:
  /// Adds a command to the tree: parent, name, summary, details, examples, and what runs it.
  using adder = std::function<CLI::App&(CLI::App&, const char*, const char*, const char*,
                                        std::vector<std::string>, std::function<exit_code()>)>;
  void add_to(CLI::App& root, const adder& add);

 private:
  void add_views(CLI::App& tune, const adder& add);
  void add_merge(CLI::App& tune, const adder& add);

  tune_run_options run_;
  tune_list_options list_;
  tune_show_options show_;
  tune_diff_options diff_;
  tune_merge_options merge_;
};

}  // namespace sinter::inline v0::command
