#include "traced_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace sinter::test {
namespace {

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("programs cannot be traced here: ") + what);
}

// A zero-terminated string in the memory of another process.
std::string text_at(pid_t process, std::uint64_t address) {
  const std::string memory = "/proc/" + std::to_string(process) + "/mem";
  const int from = ::open(memory.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  for (char next = 0; ::pread(from, &next, 1, static_cast<off_t>(address)) == 1 && next != 0; ++address)
    text += next;
  ::close(from);
  return text;
}

// The event of a system call that is about to run; nothing if it is not relevant.
std::optional<system_event> event_of(pid_t process, std::uint64_t number, const std::uint64_t* arguments) {
  using kind = system_event::kind;
  struct told {
    std::uint64_t number;
    kind what;
    int path;  // the index of the path argument, -1: none
  };
  static constexpr told calls[] = {
#ifdef SYS_open
      {SYS_open, kind::open, 0},
#endif
      {SYS_openat, kind::open, 1},      {SYS_openat2, kind::open, 1},   {SYS_execve, kind::execute, 0},
      {SYS_execveat, kind::execute, 1}, {SYS_socket, kind::socket, -1}, {SYS_connect, kind::socket, -1}};
  for (const told& each : calls)
    if (each.number == number)
      return system_event{each.what, each.path < 0 ? "" : text_at(process, arguments[each.path])};
  return {};
}

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& variables, int output) {
  for (const std::string& each : variables)
    ::setenv(each.substr(0, each.find('=')).c_str(), each.substr(each.find('=') + 1).c_str(), 1);
  std::vector<char*> list{const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) list.push_back(const_cast<char*>(each.c_str()));
  list.push_back(nullptr);
  ::dup2(output, STDOUT_FILENO);
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(125);
  ::raise(SIGSTOP);
  ::execv(program.c_str(), list.data());
  ::_exit(126);
}

std::string read_all(int from) {
  ::lseek(from, 0, SEEK_SET);
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t bytes = 0; (bytes = ::read(from, some.data(), some.size())) > 0;)
    text.append(some.data(), static_cast<std::size_t>(bytes));
  return text;
}

// Continues every thread of the program and of its children until the program ends.
void follow(pid_t program, traced_run& result) {
  for (int status = 0;;) {
    const pid_t stopped = ::waitpid(-1, &status, __WALL);
    require(stopped > 0, "waitpid");
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (stopped != program) continue;
      if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
      return;
    }
    long pass_on = 0;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      __ptrace_syscall_info call{};
      require(::ptrace(PTRACE_GET_SYSCALL_INFO, stopped, sizeof call, &call) > 0, "PTRACE_GET_SYSCALL_INFO");
      if (call.op == PTRACE_SYSCALL_INFO_ENTRY)
        if (auto event = event_of(stopped, call.entry.nr, call.entry.args)) result.events.push_back(*event);
    } else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
      pass_on = WSTOPSIG(status);  // the program's own signal; other stops announce a new thread or program
    }
    ::ptrace(PTRACE_SYSCALL, stopped, nullptr, pass_on);
  }
}

}  // namespace

traced_run run_program_traced(const std::string& program, const std::vector<std::string>& arguments,
                              const std::vector<std::string>& variables) {
  const int output = ::memfd_create("output", MFD_CLOEXEC);
  require(output >= 0, "memfd_create");
  const pid_t child = ::fork();
  require(child >= 0, "fork");
  if (child == 0) become(program, arguments, variables, output);
  int status = 0;
  ::waitpid(child, &status, 0);
  require(WIFSTOPPED(status), "PTRACE_TRACEME");
  constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                           PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
  require(::ptrace(PTRACE_SETOPTIONS, child, nullptr, options) == 0, "PTRACE_SETOPTIONS");
  ::ptrace(PTRACE_SYSCALL, child, nullptr, 0L);
  traced_run result;
  follow(child, result);
  if (!result.events.empty()) result.events.erase(result.events.begin());  // the program's own start
  result.printed = read_all(output);
  ::close(output);
  return result;
}

}  // namespace sinter::test
