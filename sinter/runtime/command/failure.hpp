#pragma once
// How a subcommand reports failure.

#include <stdexcept>
#include <string>

namespace sinter::inline v0::command {

/// The exit codes of the process, documented in the manual page.
enum class exit_code : int {
  success = 0,
  no = 1,      ///< done, with a negative answer: a damaged entry, no such entry, a missing piece
  usage = 2,   ///< an invalid command line
  failed = 3,  ///< the operation failed
};

/// main() catches it, prints the text and exits with the code.
class failure : public std::runtime_error {
 public:
  explicit failure(const std::string& text, exit_code code = exit_code::failed)
      : std::runtime_error(text), code_(code) {}
  exit_code code() const { return code_; }

 private:
  exit_code code_;
};

}  // namespace sinter::inline v0::command
