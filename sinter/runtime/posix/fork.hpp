#pragma once
// What the background threads and the tables they share with the program do around a fork.

#include <atomic>
#include <cstdint>
#include <mutex>

namespace sinter::runtime {

/// Holds one part of the library still while the process forks: `before` waits until it is in order and locks
/// it (nullptr: nothing is held), `after` unlocks it and, in the child, where no other thread is left,
/// forgets what those were doing.
struct fork_hold {
  void (*before)() = nullptr;
  void (*after)(bool in_child) = nullptr;
};

/// Parts that wait for others come before them.
enum class fork_order { compile_pool, compile_watcher, kernel_table, short_locks, host_memory, cuda_driver };
inline constexpr unsigned fork_parts = 6;

/// From now on at every fork; once for each part.
void hold_at_fork(const fork_hold& part, fork_order order);

/// A mutex that no thread has while the process forks: the child finds it free, and what it guards whole. For
/// short sections that take no other lock, and make and destroy none of these. Every fork takes all of them,
/// so let there be few.
class fork_mutex {
 public:
  fork_mutex();
  fork_mutex(const fork_mutex&) = delete;
  fork_mutex& operator=(const fork_mutex&) = delete;
  ~fork_mutex();
  void lock() { guard_.lock(); }
  void unlock() { guard_.unlock(); }

 private:
  std::mutex guard_;
};

/// Differs between a process and its child, once there has been a fork_mutex: what belongs to one of them
/// alone can be told by it.
std::uint64_t fork_generation() noexcept;

/// A mutex for long work, a compile or a load, of which others want the result. A fork does not wait for it:
/// if another thread had it, the child has it anew. So what it guards has to change in one step at the end.
class renewed_mutex {
 public:
  renewed_mutex();
  /// To be locked now, by whoever asks.
  std::mutex& own();

 private:
  std::mutex guard_;
  std::atomic<std::uint64_t> generation_;
};

}  // namespace sinter::runtime
