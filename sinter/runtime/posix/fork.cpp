#include <pthread.h>

#include <array>
#include <atomic>
#include <new>
#include <utility>
#include <vector>

#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

std::array<fork_hold, fork_parts> parts;
std::array<std::atomic<bool>, fork_parts> present{};
// Parts held by the current fork; the system serialises forks.
std::array<bool, fork_parts> held{};

void before_fork() {
  for (unsigned i = 0; i < fork_parts; ++i) {
    held[i] = present[i].load(std::memory_order_acquire);
    if (held[i] && parts[i].before != nullptr) parts[i].before();
  }
}

void after_fork(bool in_child) {
  for (unsigned i = fork_parts; i-- > 0;)
    if (held[i]) parts[i].after(in_child);
}

std::atomic<std::uint64_t> generation{0};

struct short_locks {
  std::mutex guard;
  std::vector<fork_mutex*> all;

  void before_fork() {
    guard.lock();
    for (fork_mutex* each : all) each->lock();
  }
  void after_fork(bool in_child) {
    if (in_child) generation.fetch_add(1, std::memory_order_relaxed);
    for (fork_mutex* each : all) each->unlock();
    guard.unlock();
  }
};

// Never destroyed: owners of such a lock may be destroyed at the very end of a process.
short_locks& every_short_lock() {
  static short_locks& locks = []() -> short_locks& {
    auto* const made = new short_locks;
    hold_at_fork({.before = [] { every_short_lock().before_fork(); },
                  .after = [](bool in_child) { every_short_lock().after_fork(in_child); }},
                 fork_order::short_locks);
    return *made;
  }();
  return locks;
}

}  // namespace

fork_mutex::fork_mutex() {
  short_locks& locks = every_short_lock();
  const std::lock_guard lock(locks.guard);
  locks.all.push_back(this);
}

fork_mutex::~fork_mutex() {
  short_locks& locks = every_short_lock();
  const std::lock_guard lock(locks.guard);
  std::erase(locks.all, this);
}

renewed_mutex::renewed_mutex() : generation_(fork_generation()) { every_short_lock(); }

std::mutex& renewed_mutex::own() {
  if (generation_.load(std::memory_order_acquire) == fork_generation()) [[likely]]
    return guard_;
  static auto& renewing = *new fork_mutex;
  const std::lock_guard lock(renewing);
  if (generation_.load(std::memory_order_relaxed) != fork_generation()) {
    if (guard_.try_lock())
      guard_.unlock();
    else
      new (&guard_) std::mutex;  // its holder is not in the child
    generation_.store(fork_generation(), std::memory_order_release);
  }
  return guard_;
}

std::uint64_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void hold_at_fork(const fork_hold& part, fork_order order) {
  const auto index = static_cast<std::size_t>(order);
  parts[index] = part;
  present[index].store(true, std::memory_order_release);
  static const int registered =
      pthread_atfork(before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  static_cast<void>(registered);
}

}  // namespace sinter::inline v0::runtime
