#pragma once
// Threads that compile beside the program's own.

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace sinter {

/// How many threads may compile beside the program's own, for prepare_async() and
/// compile_policy::quick_first. 0, as at first: what $SINTER_COMPILE_THREADS says, else as many as the
/// process may use processors, and fewer while memory is short, since a compile takes some hundred megabytes.
void set_compile_threads(unsigned most);

namespace runtime {

/// A bounded number of threads that begin when there is work and end when there has been none for a while.
/// Safe from any thread.
///
/// At the end of a process nothing that waits begins any more, and what has begun is finished (stop()). A
/// fork waits for what has begun, so that no compiler's lock is left held in the child; the child's pool is
/// its own, and begins what its parent's had not finished when somebody there asks for it.
class compile_pool {
 public:
  /// Threads end when there was no work for this long.
  explicit compile_pool(std::chrono::milliseconds idle = std::chrono::seconds(10));
  compile_pool(const compile_pool&) = delete;
  compile_pool& operator=(const compile_pool&) = delete;
  ~compile_pool();

  /// One piece of work; what refers to it may be dropped at any time, the work is done all the same.
  class job;
  using job_handle = std::shared_ptr<job>;
  /// Adds work. It may be begun again in the child of a fork: calling it must not change it. What it throws
  /// is kept for result_of().
  job_handle submit(std::function<void()> work);

  /// Whether there is nothing to wait for any more.
  bool finished(const job_handle& asked);
  /// Waits for that. Work that waits in line is put first; where no thread of the pool can do it (from
  /// within the pool, or as the process ends) the caller does.
  void wait(const job_handle& asked);
  enum class outcome { done, failed, cancelled };
  /// Of finished work. What was thrown goes to `failure`.
  outcome result_of(const job_handle& asked, std::exception_ptr& failure);
  /// Work that has not begun never begins (true). Of other work whoever waits is released, and it goes on.
  bool cancel(const job_handle& asked);

  /// See set_compile_threads().
  void set_threads(unsigned most);
  struct counters {
    unsigned threads = 0;     ///< alive now
    std::size_t waiting = 0;  ///< work in line
    std::size_t running = 0;  ///< begun and not finished
    std::size_t begun = 0;    ///< since the pool was made
    std::size_t most_at_once = 0;
    std::size_t put_first = 0;  ///< work that somebody waited for while it was in line
    bool stopping = false;      ///< stop() was called
    bool held = false;          ///< a fork waits for what has begun
  };
  counters statistics();

  /// Begins nothing that waits, and ends all threads once what they do is done; gives up after `patience`.
  /// Work that is added later is done by whoever waits for it.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30));

  // Around fork(), in the thread that calls it.
  void before_fork();
  void after_fork(bool in_child);

 private:
  struct state;
  class worker;
  const std::chrono::milliseconds idle_;
  std::unique_ptr<state> now_;
};

/// The pool of this process. Never destroyed.
compile_pool& process_compile_pool();

/// Ends the background threads before what was registered with atexit() before this: call it when a library
/// that compiles has been opened, so that its own exit handlers come later.
void finish_compiles_at_exit();

}  // namespace runtime
}  // namespace sinter
