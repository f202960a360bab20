#pragma once
// Programs run through a shell.

#include <sinter/runtime/posix/child_process.hpp>

#include <string>

namespace sinter::test {

/// The output of a shell command, both streams combined, and its exit status.
inline runtime::program_answer run_shell(const std::string& command) {
  return runtime::run_program("/bin/sh", {"-c", "exec 2>&1; " + command});
}

/// The output of a program with these environment variables, prefixed with "failed: " if it fails.
inline std::string output_of(const std::string& environment, const std::string& program) {
  const runtime::program_answer answer = run_shell("env " + environment + " " + program);
  return answer.status == 0 ? answer.output : "failed: " + answer.output;
}

}  // namespace sinter::test
