#pragma once
// Programs as a user's shell starts them.

#include <sinter/runtime/posix/child_process.hpp>

#include <string>

namespace sinter::test {

/// What a command of the shell prints, on both streams in one, and how it ends.
inline runtime::program_answer run_shell(const std::string& command) {
  return runtime::run_program("/bin/sh", {"-c", "exec 2>&1; " + command});
}

/// What a program prints with these variables in its environment; "failed: " stands before that of one that
/// does not end well.
inline std::string output_of(const std::string& environment, const std::string& program) {
  const runtime::program_answer answer = run_shell("env " + environment + " " + program);
  return answer.status == 0 ? answer.output : "failed: " + answer.output;
}

}  // namespace sinter::test
