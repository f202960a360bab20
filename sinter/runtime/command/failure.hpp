#pragma once
// How a subcommand ends that cannot do what it was asked.

#include <stdexcept>
#include <string>

namespace sinter::command {

/// What the process answers. Documented in the manual page (help_text.cpp).
enum class exit_code : int {
  success = 0,
  no = 1,      ///< done, and the answer is no: a damaged entry, no such entry, a piece that is missing
  usage = 2,   ///< the command line makes no sense
  failed = 3,  ///< it could not be done
};

/// Caught by main(), which prints the text and ends the process with the code.
class failure : public std::runtime_error {
 public:
  explicit failure(const std::string& text, exit_code code = exit_code::failed)
      : std::runtime_error(text), code_(code) {}
  exit_code code() const { return code_; }

 private:
  exit_code code_;
};

}  // namespace sinter::command
