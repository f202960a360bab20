// How a fatal error inside LLVM is survived, and why no signal handler is involved.
//
// LLVM, Clang and LLD give up by report_fatal_error, by running out of memory, or by Process::Exit. All three
// end in llvm::CrashRecoveryContext, which jumps back to the point where the work began. The context has to
// be enabled for that, and enabling it installs handlers for SIGSEGV, SIGABRT and four more for the whole
// process. Those signals belong to the host program (sanitizers, virtual machines and crash reporters live on
// them), and a handler cannot tell whose fault it meets. So the host's handlers are put back at once, and a
// real memory fault inside LLVM is what it is in any library: the process's end. Going on after one would
// mean running on a heap whose lock may be held by nobody.
#include "recovery.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

namespace sinter::cpu_compiler {
namespace {

// Clang recurses over expressions; a caller's thread may be small. Memory is only taken where it is touched,
// and the size stays below the 40 MB that glibc keeps for the next thread.
constexpr unsigned stack_bytes = 32u << 20;

thread_local std::string* current_reason = nullptr;

[[noreturn]] void give_up(void*, const char* reason, bool) {
  if (current_reason != nullptr) *current_reason = reason;
  if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(70);
  std::abort();  // not reached: LLVM runs inside run_guarded only
}

void prepare_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr std::array signals{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    std::array<struct sigaction, signals.size()> before{};
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], nullptr, &before[i]);
    llvm::CrashRecoveryContext::Enable();
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);

    llvm::install_fatal_error_handler(give_up);
    llvm::install_bad_alloc_error_handler(give_up);
  });
}

}  // namespace

bool run_guarded(llvm::function_ref<void()> work, std::string& reason) {
  prepare_once();
  llvm::CrashRecoveryContext context;
  bool out_of_memory = false;
  const bool finished = context.RunSafelyOnThread(
      [&] {
        current_reason = &reason;
        try {
          work();
        } catch (const std::bad_alloc&) {
          out_of_memory = true;
        }
        current_reason = nullptr;
      },
      stack_bytes);
  if (out_of_memory) reason = "out of memory";
  if (!finished && reason.empty()) reason = "LLVM ended without a reason";
  return finished && !out_of_memory;
}

bool has_given_up() { return current_reason != nullptr && !current_reason->empty(); }

}  // namespace sinter::cpu_compiler
