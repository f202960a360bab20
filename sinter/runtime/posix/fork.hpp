#pragma once
// Holding background threads and shared tables during a fork.

#include <atomic>
#include <cstdint>
#include <mutex>

namespace sinter::inline v0::runtime {

/// Holds one part of the library during a fork: `before` waits until it is consistent and locks it (nullptr:
/// nothing is held); `after` unlocks it and, in the child, which has no other threads, discards their work.
struct fork_hold {
  void (*before)() = nullptr;
  void (*after)(bool in_child) = nullptr;
};

/// The order of holding: parts that wait for others come first.
enum class fork_order { compile_pool, compile_watcher, kernel_table, short_locks, host_memory, cuda_driver };
inline constexpr unsigned fork_parts = 6;

/// Registers a part for every later fork; once per part.
void hold_at_fork(const fork_hold& part, fork_order order);

/// A mutex that is free at a fork, so that the child finds it unlocked and the guarded data consistent. For
/// short sections that take no other lock, and that neither create nor destroy a fork_mutex. Every fork takes
/// all of them, so their number must be small.
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

/// Differs between a process and its child, once a fork_mutex exists; identifies data that belongs to one of
/// them.
std::uint64_t fork_generation() noexcept;

/// A mutex for long work, such as a compile or a load, whose result others wait for. A fork does not wait for
/// it: if another thread holds it, the child gets a new one. So the guarded data must change in a single step
/// at the end.
class renewed_mutex {
 public:
  renewed_mutex();
  /// The mutex to lock now.
  std::mutex& own();

 private:
  std::mutex guard_;
  std::atomic<std::uint64_t> generation_;
};

}  // namespace sinter::inline v0::runtime
