#pragma once
// The options of the tune commands, one record per subcommand, and the functions that run them.

#include <string>
#include <vector>

#include "../options.hpp"

namespace sinter::inline v0::command {

struct tune_run_options : common_options {
  std::vector<std::string> recordings;
  std::string output;            ///< "": the first recording's name, ending in .tuning
  double budget = 5, total = 0;  ///< seconds for a call, and for all; 0: no bound for all
  double least_gain = 0.02;
  bool may_change_bits = false;
  std::string device, page;  ///< "": that of each call; "": no page
};
struct tune_list_options : common_options {
  std::vector<std::string> files;
};
struct tune_show_options : common_options {
  std::string file, pattern, page;
};
struct tune_diff_options : common_options {
  std::string before, after;
};
struct tune_merge_options : common_options {
  std::vector<std::string> files;
  std::string output;
};

exit_code run_tune(const tune_run_options& options);
exit_code run_tune_list(const tune_list_options& options);
exit_code run_tune_show(const tune_show_options& options);
exit_code run_tune_diff(const tune_diff_options& options);
exit_code run_tune_merge(const tune_merge_options& options);

}  // namespace sinter::inline v0::command
