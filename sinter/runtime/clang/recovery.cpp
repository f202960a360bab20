// How this library survives a fatal error inside LLVM, and why no signal handler is involved.
//
// LLVM, Clang and LLD abort through report_fatal_error, out-of-memory handlers, or Process::Exit. All three
// end in llvm::CrashRecoveryContext, which jumps back to the point where the work began. That context must be
// enabled, which installs handlers for SIGSEGV, SIGABRT and four more signals in the whole process. Those
// signals belong to the host program (sanitizers, virtual machines and crash reporters use them), and a
// handler cannot tell where a fault comes from. So the program's handlers are restored at once, and a real
// memory fault inside LLVM ends the process, as in any library: continuing would mean using a heap whose lock
// may be abandoned.
#include "recovery.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"

namespace sinter::inline v0::cpu_compiler {
namespace {

// Clang recurses over expressions, and a caller's stack may be small. Stack pages use memory only once they
// are touched, and the size stays below the 40 MB that glibc caches for the next thread.
constexpr unsigned stack_bytes = 32u << 20;

thread_local std::string* current_reason = nullptr;

[[noreturn]] void give_up(void*, const char* reason, bool) {
  if (current_reason != nullptr) *current_reason = reason;
  if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(70);
  std::abort();  // unreachable: LLVM runs only inside run_guarded
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

enum class outcome { running, finished, gave_up, out_of_memory };

// Shared by the worker thread and the waiting thread, in either order of destruction.
class guarded_run {
 public:
  void end(outcome how, bool stays) {
    const std::lock_guard lock(guard_);
    outcome_ = how;
    stays_ = stays;
    ended_.notify_one();
  }
  // Waits for the work to end, and for its thread unless that is abandoned.
  outcome wait(llvm::thread& worker) {
    std::unique_lock lock(guard_);
    ended_.wait(lock, [&] { return outcome_ != outcome::running; });
    lock.unlock();
    if (stays_)
      worker.detach();
    else
      worker.join();
    return outcome_;
  }

 private:
  std::mutex guard_;
  std::condition_variable ended_;
  outcome outcome_ = outcome::running;
  bool stays_ = false;
};

// LLVM keeps lists of objects on stacks (TimerGroup is one). Abandoned objects stay in these lists, and the
// next compile writes to their list nodes. So the stack of an aborted thread is never freed, and no code runs
// on it again.
constexpr std::size_t room_bytes = 64 << 10;

[[gnu::noinline]] void call_with_room(llvm::function_ref<void()> work) {
  [[maybe_unused]] volatile char room[room_bytes];
  room[0] = 0;
  work();
  room[1] = 0;  // prevents a tail call
}

[[noreturn]] void stay_forever() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;) pause();
}

}  // namespace

bool run_guarded(llvm::function_ref<void()> work, std::string& reason) {
  prepare_once();
  const auto run = std::make_shared<guarded_run>();
  llvm::thread worker(std::optional<unsigned>{stack_bytes}, [run, work, &reason] {
    bool out_of_memory = false, gave_up = false;
    llvm::CrashRecoveryContext context;
    const bool finished = context.RunSafely([&] {
      current_reason = &reason;
      call_with_room([&] {
        try {
          work();
        } catch (const std::bad_alloc&) {
          out_of_memory = true;
        }
      });
      gave_up = has_given_up();
      current_reason = nullptr;
    });
    const bool stays = !finished || gave_up;
    run->end(!finished       ? outcome::gave_up
             : out_of_memory ? outcome::out_of_memory
                             : outcome::finished,
             stays);
    if (stays) stay_forever();
  });
  const outcome ended = run->wait(worker);
  if (ended == outcome::out_of_memory) reason = "out of memory";
  if (ended == outcome::gave_up && reason.empty()) reason = "LLVM ended without a reason";
  return ended == outcome::finished;
}

bool has_given_up() { return current_reason != nullptr && !current_reason->empty(); }

}  // namespace sinter::inline v0::cpu_compiler
