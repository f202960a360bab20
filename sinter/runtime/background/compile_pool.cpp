#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/background/compile_watch.hpp>
#include <sinter/runtime/environment.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/posix/host.hpp>

namespace sinter::inline v0 {
namespace runtime {
namespace {

constexpr std::uint64_t bytes_of_a_compile = std::uint64_t{512} << 20;
constexpr std::chrono::seconds patience_for_fork{2};

// Whether the thread belongs to a pool.
thread_local bool in_pool = false;

// From $SINTER_COMPILE_THREADS, else one thread per processor; never 0.
unsigned threads_from_environment(bool& chosen) {
  const std::string text = environment_value("SINTER_COMPILE_THREADS");
  if (!text.empty()) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text.c_str(), &end, 10);
    chosen = *end == '\0' && value > 0 && value <= 1024;
    if (chosen) return static_cast<unsigned>(value);
    report(log_level::warning,
           fmt::format("SINTER_COMPILE_THREADS is '{}', which is no number of threads: as many as there are "
                       "processors are used",
                       text));
  }
  return usable_processors();
}

}  // namespace

class compile_pool::job {
 public:
  /// A `dropped` job never begins. An `orphaned` one belonged to the parent of a fork, and begins when
  /// someone waits for it.
  enum class stage { waiting, running, done, dropped, orphaned };
  explicit job(std::function<void()> todo) : work(std::move(todo)) {}

  // Guarded by the pool's lock, except `work`, which belongs to the thread that runs it.
  std::function<void()> work;
  const environment inside = environment::current();  ///< of who asked for it
  stage at = stage::waiting;
  bool cancelled = false;
  std::exception_ptr failure;
  bool finished() const { return cancelled || at == stage::done; }
};

struct compile_pool::state {
  std::mutex guard;
  std::condition_variable work, done;
  std::deque<job_handle> queue;
  std::vector<job_handle> running;
  std::list<std::thread> threads, ended;
  unsigned idle = 0;
  unsigned most = 0;    ///< 0: not determined yet
  bool chosen = false;  ///< set by a caller, so memory is not checked
  bool stopping = false;
  bool held = false;  ///< nothing begins: a fork waits for running jobs
  counters counted;
  std::unique_ptr<state> of_parent;  ///< its threads are in the parent; leaked on purpose

  unsigned max_threads() {
    if (most == 0) most = threads_from_environment(chosen);
    return most;
  }
  // If a thread cannot be created, the existing threads or the waiting ones do the work.
  void start_thread(compile_pool& of);
  void begin_again(const job_handle& what) {
    if (what->at != job::stage::orphaned) return;
    what->at = job::stage::waiting;
    queue.push_back(what);
    work.notify_one();
  }
  // The lock is held before and after.
  void run(std::unique_lock<std::mutex>& lock, const job_handle& what);
};

void compile_pool::state::run(std::unique_lock<std::mutex>& lock, const job_handle& what) {
  what->at = job::stage::running;
  running.push_back(what);
  ++counted.begun;
  counted.max_at_once = std::max(counted.max_at_once, running.size());
  lock.unlock();
  std::exception_ptr failure;
  try {
    const environment_scope scope(what->inside);
    what->work();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  running.erase(std::find(running.begin(), running.end(), what));
  what->failure = std::move(failure);
  what->at = job::stage::done;
  std::function<void()> used = std::move(what->work);
  lock.unlock();
  done.notify_all();
  used = nullptr;  // destroyed without the lock
  lock.lock();
}

class compile_pool::worker {
 public:
  worker(compile_pool& pool, state& at) : idle_(pool.idle_), at_(at) {}

  void operator()() const {
    in_pool = true;
    std::unique_lock lock(at_.guard);
    while (wait_for_work(lock)) {
      const job_handle next = at_.queue.front();
      at_.queue.pop_front();
      at_.run(lock, next);
    }
    --at_.counted.threads;
    const auto self = std::find_if(at_.threads.begin(), at_.threads.end(), [](const std::thread& each) {
      return each.get_id() == std::this_thread::get_id();
    });
    at_.ended.splice(at_.ended.end(), at_.threads, self);
    at_.done.notify_all();
  }

 private:
  // Returns false if this thread should end.
  bool wait_for_work(std::unique_lock<std::mutex>& lock) const {
    const auto too_many = [&] { return at_.counted.threads > at_.max_threads(); };
    const auto startable = [&] { return !at_.held && !at_.queue.empty(); };
    ++at_.idle;
    at_.work.wait_for(lock, idle_, [&] { return at_.stopping || too_many() || startable(); });
    --at_.idle;
    return !at_.stopping && !too_many() && startable();
  }

  std::chrono::milliseconds idle_;
  state& at_;
};

void compile_pool::state::start_thread(compile_pool& of) {
  if (stopping || queue.size() <= idle || counted.threads >= max_threads()) return;
  if (counted.threads > 0 && !chosen && available_memory_bytes() < bytes_of_a_compile) return;
  for (std::thread& each : ended) each.join();
  ended.clear();
  try {
    threads.emplace_back(worker(of, *this));
    ++counted.threads;
  } catch (const std::system_error&) {
  }
}

compile_pool::compile_pool(std::chrono::milliseconds idle) : idle_(idle), now_(std::make_unique<state>()) {}

compile_pool::~compile_pool() { stop(std::chrono::hours(24)); }

compile_pool::job_handle compile_pool::submit(std::function<void()> work) {
  const deferred_reports until_unlocked;  // number of threads from the environment
  auto made = std::make_shared<job>(std::move(work));
  {
    const std::lock_guard lock(now_->guard);
    now_->queue.push_back(made);
    now_->start_thread(*this);
  }
  now_->work.notify_one();
  return made;
}

bool compile_pool::finished(const job_handle& asked) {
  const std::lock_guard lock(now_->guard);
  now_->begin_again(asked);
  if (asked->at == job::stage::waiting) now_->start_thread(*this);
  return asked->finished();
}

void compile_pool::wait(const job_handle& asked) {
  std::unique_lock lock(now_->guard);
  now_->begin_again(asked);
  const auto in_line = [&] { return !asked->cancelled && asked->at == job::stage::waiting; };
  if (in_line()) {
    std::erase(now_->queue, asked);
    now_->queue.push_front(asked);
    ++now_->counted.put_first;
    now_->start_thread(*this);
    now_->work.notify_one();
  }
  const auto mine = [&] { return in_line() && (in_pool || now_->stopping || now_->counted.threads == 0); };
  now_->done.wait(lock, [&] { return asked->finished() || mine(); });
  if (asked->finished()) return;
  std::erase(now_->queue, asked);
  now_->run(lock, asked);
}

compile_pool::outcome compile_pool::result_of(const job_handle& asked, std::exception_ptr& failure) {
  const std::lock_guard lock(now_->guard);
  if (asked->cancelled) return outcome::cancelled;
  failure = asked->failure;
  return failure ? outcome::failed : outcome::done;
}

bool compile_pool::cancel(const job_handle& asked) {
  std::function<void()> unused;  // destroyed after the lock
  bool never_begins = false;
  {
    const std::lock_guard lock(now_->guard);
    if (asked->finished()) return asked->at == job::stage::dropped;
    asked->cancelled = true;
    if (asked->at != job::stage::running) {
      asked->at = job::stage::dropped;
      std::erase(now_->queue, asked);
      unused = std::move(asked->work);
      never_begins = true;
    }
  }
  now_->done.notify_all();
  return never_begins;
}

void compile_pool::set_threads(unsigned most) {
  {
    const std::lock_guard lock(now_->guard);
    now_->most = most;
    now_->chosen = most != 0;
    for (std::size_t i = now_->queue.size(); i-- > 0;) now_->start_thread(*this);
  }
  now_->work.notify_all();
}

compile_pool::counters compile_pool::statistics() {
  const std::lock_guard lock(now_->guard);
  counters copy = now_->counted;
  copy.waiting = now_->queue.size();
  copy.running = now_->running.size();
  copy.stopping = now_->stopping;
  copy.held = now_->held;
  return copy;
}

void compile_pool::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(now_->guard);
  now_->stopping = true;
  now_->work.notify_all();
  now_->done.notify_all();
  const unsigned own = in_pool ? 1 : 0;  // a job that ends the process cannot wait for itself
  now_->done.wait_for(lock, patience, [&] { return now_->counted.threads <= own; });
  std::list<std::thread> ended = std::move(now_->ended);
  now_->ended.clear();
  lock.unlock();
  for (std::thread& each : ended) each.join();
}

void compile_pool::before_fork() {
  std::unique_lock lock(now_->guard);
  now_->held = true;
  const std::size_t own = in_pool ? 1 : 0;
  now_->done.wait_for(lock, patience_for_fork, [&] { return now_->running.size() <= own; });
  lock.release();  // until after_fork()
}

void compile_pool::after_fork(bool in_child) {
  state& before = *now_;
  before.held = false;
  if (in_child) {
    auto fresh = std::make_unique<state>();
    fresh->most = before.most;
    fresh->chosen = before.chosen;
    fresh->stopping = before.stopping;
    for (const job_handle& each : before.queue) each->at = job::stage::orphaned;
    for (const job_handle& each : before.running) each->at = job::stage::orphaned;
    fresh->of_parent = std::move(now_);
    now_ = std::move(fresh);
    in_pool = false;
  }
  before.guard.unlock();
  if (!in_child) before.work.notify_all();
}

compile_pool& process_compile_pool() {
  static compile_pool& only = []() -> compile_pool& {
    auto* const made = new compile_pool;
    hold_at_fork({.before = [] { process_compile_pool().before_fork(); },
                  .after = [](bool in_child) { process_compile_pool().after_fork(in_child); }},
                 fork_order::compile_pool);
    return *made;
  }();
  static const bool registered = (finish_compiles_at_exit(), true);
  static_cast<void>(registered);
  return only;
}

void finish_compiles_at_exit() {
  std::atexit([] {
    process_compile_pool().stop();
    process_compile_watcher().stop();
  });
}

}  // namespace runtime

void set_compile_threads(unsigned most) { runtime::process_compile_pool().set_threads(most); }

}  // namespace sinter::inline v0
