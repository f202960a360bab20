#pragma once
// A program whose system calls that open files, start programs or create sockets are reported, in all its
// threads and children. Linux.

#include <string>
#include <vector>

namespace sinter::test {

struct system_event {
  enum class kind { open, execute, socket } what;
  std::string path;  ///< as given to the system, whether it exists or not; "" for a socket
};

struct traced_run {
  int exit_code = -1;                ///< -1: killed or crashed
  std::string printed;               ///< on standard output
  std::vector<system_event> events;  ///< in order, without the start of the program itself
};

/// Runs the program (a path) with these arguments, with variables ("NAME=value") added to this process's
/// environment. Throws std::runtime_error if processes cannot be traced.
traced_run run_program_traced(const std::string& program, const std::vector<std::string>& arguments,
                              const std::vector<std::string>& variables);

}  // namespace sinter::test
