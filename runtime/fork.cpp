#include <pthread.h>

#include <array>
#include <atomic>

#include <sinter/runtime/fork.hpp>

namespace sinter::runtime {
namespace {

std::array<fork_hold, fork_parts> parts;
std::array<std::atomic<bool>, fork_parts> present{};
// Of the fork that is going on; the system holds off another one.
std::array<bool, fork_parts> held{};

void before_fork() {
  for (unsigned i = 0; i < fork_parts; ++i) {
    held[i] = present[i].load(std::memory_order_acquire);
    if (held[i]) parts[i].before();
  }
}

void after_fork(bool in_child) {
  for (unsigned i = fork_parts; i-- > 0;)
    if (held[i]) parts[i].after(in_child);
}

}  // namespace

void hold_at_fork(const fork_hold& part, fork_order order) {
  const auto index = static_cast<std::size_t>(order);
  parts[index] = part;
  present[index].store(true, std::memory_order_release);
  static const int registered =
      pthread_atfork(before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  static_cast<void>(registered);
}

}  // namespace sinter::runtime
