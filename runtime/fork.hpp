#pragma once
// What the background threads and the tables they share with the program do around a fork.

namespace sinter::runtime {

/// Holds one part of the library still while the process forks: `before` waits until it is in order and locks
/// it, `after` unlocks it and, in the child, where no other thread is left, forgets what those were doing.
struct fork_hold {
  void (*before)() = nullptr;
  void (*after)(bool in_child) = nullptr;
};

/// Parts that wait for others come before them.
enum class fork_order { compile_pool, compile_watcher, kernel_table };
inline constexpr unsigned fork_parts = 3;

/// From now on at every fork; once for each part.
void hold_at_fork(const fork_hold& part, fork_order order);

}  // namespace sinter::runtime
