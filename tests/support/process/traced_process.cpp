#include "traced_process.hpp"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace sinter::test {
namespace {

constexpr long file_calls[] = {SYS_open,       SYS_openat,    SYS_read,     SYS_write,  SYS_pread64,
                               SYS_pwrite64,   SYS_fstat,     SYS_stat,     SYS_lstat,  SYS_newfstatat,
                               SYS_fcntl,      SYS_fdatasync, SYS_fsync,    SYS_rename, SYS_renameat,
                               SYS_renameat2,  SYS_unlink,    SYS_unlinkat, SYS_mkdir,  SYS_mkdirat,
                               SYS_getdents64, SYS_utimensat, SYS_link,     SYS_linkat, SYS_ftruncate};

/// The address where a call stores file attributes; 0 for any other call.
unsigned long long facts_of(const user_regs_struct& registers) {
  if (registers.orig_rax == SYS_fstat || registers.orig_rax == SYS_stat || registers.orig_rax == SYS_lstat)
    return registers.rsi;
  return registers.orig_rax == SYS_newfstatat ? registers.rdx : 0;
}

/// Changes a `struct stat` in the child to name another user as owner.
void forge_owner(pid_t child, unsigned long long facts) {
  const unsigned long long at = facts + offsetof(struct stat, st_uid);
  long word = ::ptrace(PTRACE_PEEKDATA, child, at, nullptr);
  uid_t owner = 0;
  std::memcpy(&owner, &word, sizeof owner);
  ++owner;
  std::memcpy(&word, &owner, sizeof owner);
  ::ptrace(PTRACE_POKEDATA, child, at, word);
}

bool is_file_call(long number) {
  return std::find(std::begin(file_calls), std::end(file_calls), number) != std::end(file_calls);
}

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("processes cannot be traced here: ") + what);
}

/// A process that stops before it does the work, and at each system call.
pid_t start_traced(const std::function<int()>& work) {
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
  return child;
}

}  // namespace

traced_result run_traced(const std::function<int()>& work, const intervention& at) {
  const pid_t child = start_traced(work);
  int status = 0;
  traced_result result;
  bool entering = true;
  int failing = 0;                // the replaced result of the current call
  unsigned long long forged = 0;  // where it stores file attributes
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
      if (failing != 0) {
        registers.rax = static_cast<unsigned long long>(-failing);
        ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
      }
      if (forged != 0 && registers.rax == 0) {
        forge_owner(child, forged);
        ++result.forged;
      }
      entering = true;
      failing = 0;
      forged = 0;
      continue;
    }
    entering = false;
    if (!is_file_call(static_cast<long>(registers.orig_rax))) continue;
    result.numbers.push_back(static_cast<long>(registers.orig_rax));
    const int call = result.calls++;
    const bool is_full = at.what == intervention::kind::full_disk && call >= at.at &&
                         (registers.orig_rax == SYS_write || registers.orig_rax == SYS_pwrite64);
    if (call == at.at && at.what == intervention::kind::kill) {
      ::kill(child, SIGKILL);
      result.killed = true;
    } else if (call == at.at && at.what == intervention::kind::foreign_owner) {
      forged = facts_of(registers);
    } else if (is_full || (call == at.at && at.what == intervention::kind::fail)) {
      failing = is_full ? ENOSPC : at.error;
      result.forged += is_full;
      registers.orig_rax = ~0ull;  // an invalid call number: nothing is executed
      ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    }
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace sinter::test
