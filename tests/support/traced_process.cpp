#include "traced_process.hpp"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <stdexcept>

namespace sinter::test {
namespace {

constexpr long file_calls[] = {SYS_open,       SYS_openat,    SYS_read,     SYS_write,  SYS_pread64,
                               SYS_pwrite64,   SYS_fstat,     SYS_stat,     SYS_lstat,  SYS_newfstatat,
                               SYS_fcntl,      SYS_fdatasync, SYS_fsync,    SYS_rename, SYS_renameat,
                               SYS_renameat2,  SYS_unlink,    SYS_unlinkat, SYS_mkdir,  SYS_mkdirat,
                               SYS_getdents64, SYS_utimensat, SYS_link,     SYS_linkat, SYS_ftruncate};

bool is_file_call(long number) {
  return std::find(std::begin(file_calls), std::end(file_calls), number) != std::end(file_calls);
}

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("processes cannot be traced here: ") + what);
}

}  // namespace

traced_result run_traced(const std::function<int()>& work, const intervention& at) {
  const pid_t child = ::fork();
  require(child >= 0, "fork");
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(125);
    ::raise(SIGSTOP);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  require(WIFSTOPPED(status), "PTRACE_TRACEME");
  require(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0,
          "PTRACE_SETOPTIONS");
  traced_result result;
  bool entering = true, failing = false;
  int pass_on = 0;
  for (;;) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, static_cast<long>(pass_on));
    pass_on = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) || WIFSIGNALED(status)) break;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      pass_on = WSTOPSIG(status);
      continue;
    }
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    if (!entering) {
      if (failing) {
        registers.rax = static_cast<unsigned long long>(-at.error);
        ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
      }
      entering = true;
      failing = false;
      continue;
    }
    entering = false;
    if (!is_file_call(static_cast<long>(registers.orig_rax))) continue;
    if (result.calls++ != at.at || at.what == intervention::kind::none) continue;
    if (at.what == intervention::kind::kill) {
      ::kill(child, SIGKILL);
      result.killed = true;
    } else {
      registers.orig_rax = ~0ull;  // no such call: nothing is done
      ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
      failing = true;
    }
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace sinter::test
