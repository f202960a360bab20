#pragma once
// Runs programs as a user would, with and without compilers on the machine.

#include "../support/beside.hpp"
#include "../support/process/run_shell.hpp"

#include <string>

namespace sinter::test {

inline constexpr const char* without_compilers =
    "SINTER_CACHE=off SINTER_NVRTC=/nonexistent SINTER_CPU_COMPILER=/nonexistent ";

inline std::string path_of(const char* file) { return path_beside(file).string(); }

/// The output of a program with these environment variables, and whether it succeeded.
inline std::string run(const std::string& environment, const std::string& program) {
  return output_of(environment, program);
}

}  // namespace sinter::test
