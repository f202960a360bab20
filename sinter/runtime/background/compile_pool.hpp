#pragma once
// Background threads that compile.

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace sinter::inline v0 {

/// Sets the maximum number of background threads that compile, for prepare_async(),
/// compile_policy::quick_first and calls of several kernels. 0, the default, means $SINTER_COMPILE_THREADS,
/// else the number of processors that the process may use, and fewer if memory is short, because a compile
/// takes some hundred megabytes.
void set_compile_threads(unsigned most);

namespace runtime {

/// A bounded number of threads that start on demand and end after some idle time. Safe from any thread.
///
/// At the end of a process no queued job begins, and running jobs are finished (stop()). A fork waits for
/// running jobs, so that the child inherits no locked compiler. The child has its own pool, which runs the
/// parent's unfinished jobs when someone in the child waits for them.
class compile_pool {
 public:
  /// Threads end after this long without work.
  explicit compile_pool(std::chrono::milliseconds idle = std::chrono::seconds(10));
  compile_pool(const compile_pool&) = delete;
  compile_pool& operator=(const compile_pool&) = delete;
  ~compile_pool();

  /// One job. Its handle may be dropped at any time; the job is done all the same.
  class job;
  using job_handle = std::shared_ptr<job>;
  /// Adds a job. It may run again in the child of a fork, so calling it must not change it. Its exception is
  /// stored for result_of().
  job_handle submit(std::function<void()> work);

  /// Whether the job is done, has failed or was cancelled.
  bool finished(const job_handle& asked);
  /// Waits until finished(). A queued job moves to the front. If no thread of the pool can run it (when
  /// called from within the pool, or as the process ends), the caller does.
  void wait(const job_handle& asked);
  enum class outcome { done, failed, cancelled };
  /// The result of a finished job. Its exception goes to `failure`.
  outcome result_of(const job_handle& asked, std::exception_ptr& failure);
  /// A job that has not begun never begins (returns true). Other jobs continue, but waiting threads are
  /// released.
  bool cancel(const job_handle& asked);

  /// See set_compile_threads().
  void set_threads(unsigned most);
  struct counters {
    unsigned threads = 0;     ///< existing threads
    std::size_t waiting = 0;  ///< queued jobs
    std::size_t running = 0;  ///< running jobs
    std::size_t begun = 0;    ///< since the pool was created
    std::size_t max_at_once = 0;
    std::size_t put_first = 0;  ///< queued jobs that a thread waited for
    bool stopping = false;      ///< stop() was called
    bool held = false;          ///< a fork waits for running jobs
  };
  counters statistics();

  /// Starts no queued jobs, and ends all threads once their jobs are done; gives up after `patience`. Threads
  /// that wait for jobs added later run these themselves.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30));

  // Around fork(), in the forking thread.
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

/// Ends the background threads before exit handlers that were registered earlier run. Call it after opening a
/// library that compiles, so that the library's exit handlers run later.
void finish_compiles_at_exit();

}  // namespace runtime
}  // namespace sinter::inline v0
