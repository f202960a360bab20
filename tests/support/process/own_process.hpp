#pragma once
// A test case in a separate process, for things that happen once per process or at its end.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace sinter::test {

/// Whether this is such a process, which run_alone() started.
inline bool runs_alone() { return std::getenv("SINTER_TEST_ALONE") != nullptr; }

/// Sends text from such a process to its parent.
inline void tell(const std::string& text) {
  if (const char* to = std::getenv("SINTER_TEST_ALONE"))
    static_cast<void>(!write(std::atoi(to), text.data(), text.size()));
}

struct own_process {
  int status = -1;   ///< in the format of waitpid()
  std::string told;  ///< from tell()
};

/// Runs a test case of this program, which is skipped otherwise, in a new process. A process that hangs is
/// killed.
inline own_process run_alone(const std::string& test_case,
                             const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  own_process made;
  int ends[2];
  if (pipe(ends) != 0) return made;
  std::fflush(nullptr);  // otherwise the child writes it again
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(60);
    setenv("SINTER_TEST_ALONE", std::to_string(ends[1]).c_str(), 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const std::string filter = "--test-case=" + test_case;
    execl("/proc/self/exe", "sinter_tests", "--no-skip", "--minimal", filter.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  char part[512];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;)
    made.told.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  waitpid(child, &made.status, 0);
  return made;
}

}  // namespace sinter::test
