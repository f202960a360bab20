#pragma once
// The options of the pack commands, one record per subcommand, and the functions that run them.

#include <string>
#include <vector>

#include "../options.hpp"

namespace sinter::inline v0::command {

struct pack_build_options : common_options {
  std::vector<std::string> programs, recordings, tunings;
  std::vector<int> architectures;
  std::vector<std::string> processors;  ///< levels, and "native"; none: native only
  bool no_cpu = false, allow_faults = false;
  unsigned threads = 0;
  std::string sign_with, output;
};
struct pack_list_options : common_options {
  std::string file;
};
struct pack_verify_options : common_options {
  std::vector<std::string> files, keys;
};
struct pack_merge_options : common_options {
  std::vector<std::string> files;
  std::string output;
};
struct pack_sign_options : common_options {
  std::string file, key, output;
};
struct pack_keys_options : common_options {
  std::string output;
};

exit_code run_pack_build(const pack_build_options& options);
exit_code run_pack_list(const pack_list_options& options);
exit_code run_pack_verify(const pack_verify_options& options);
exit_code run_pack_merge(const pack_merge_options& options);
exit_code run_pack_sign(const pack_sign_options& options);
exit_code run_pack_keys(const pack_keys_options& options);

}  // namespace sinter::inline v0::command
