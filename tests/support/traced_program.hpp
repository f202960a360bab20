#pragma once
// A program of which every call to the system that opens a file, starts a program or makes a socket is told,
// in all its threads and children. Linux.

#include <string>
#include <vector>

namespace sinter::test {

struct system_event {
  enum class kind { open, execute, socket } what;
  std::string path;  ///< as it was given to the system, whether it was there or not; "" of a socket
};

struct traced_run {
  int exit_code = -1;                ///< -1: killed or crashed
  std::string printed;               ///< on standard output
  std::vector<system_event> events;  ///< in their order, without the start of the program itself
};

/// Runs the program (a path) with these arguments, and with variables ("NAME=value") beside those of this
/// process. Throws std::runtime_error where processes cannot be traced.
traced_run run_program_traced(const std::string& program, const std::vector<std::string>& arguments,
                              const std::vector<std::string>& variables);

}  // namespace sinter::test
