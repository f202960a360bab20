#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <sinter/runtime/background/compile_watch.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

using steady = std::chrono::steady_clock;

struct task {
  std::uint64_t number = 0;
  steady::time_point due;
  steady::duration interval{};                        ///< interval of repetition; 0: runs once
  std::shared_ptr<const std::function<void()>> work;  ///< shared with the running thread, because the task
                                                      ///< may be removed meanwhile
};

}  // namespace

struct compile_watcher::state {
  std::mutex guard;
  std::condition_variable changed;
  std::list<task> tasks;  // by due time
  std::uint64_t latest = 0;
  std::thread thread;
  bool runs = false;  ///< the thread reads `tasks` again before it ends
  bool stopping = false;
  void insert(task&& made) {
    const auto after =
        std::find_if(tasks.begin(), tasks.end(), [&](const task& at) { return made.due < at.due; });
    tasks.insert(after, std::move(made));
  }
  std::unique_ptr<state> of_parent;  ///< its thread is in the parent; leaked, because it cannot be destroyed
};

compile_watcher::compile_watcher(std::chrono::milliseconds patience)
    : patience_(patience), now_(std::make_unique<state>()) {}

compile_watcher::~compile_watcher() { stop(); }

// Sleeps until a task is due. Most compiles are done by then, so that the thread wakes up for nothing.
void compile_watcher::watch(state& at) {
  std::unique_lock lock(at.guard);
  while (!at.stopping && !at.tasks.empty()) {
    const steady::time_point due = at.tasks.front().due;
    if (due > steady::now()) {
      at.changed.wait_until(lock, due);
      continue;
    }
    task now = std::move(at.tasks.front());
    at.tasks.pop_front();
    std::shared_ptr<const std::function<void()>> work = now.work;
    if (now.interval.count() > 0) {
      now.due = steady::now() + now.interval;
      at.insert(std::move(now));
    }
    lock.unlock();
    (*work)();
    work.reset();
    lock.lock();
  }
  at.runs = false;
}

std::uint64_t compile_watcher::add(std::chrono::milliseconds delay, bool again, std::function<void()> work) {
  state& at = *now_;
  const std::lock_guard lock(at.guard);
  const std::uint64_t number = ++at.latest;
  if (at.stopping) return number;
  at.insert({number, steady::now() + delay, again ? delay : steady::duration{},
             std::make_shared<const std::function<void()>>(std::move(work))});
  if (at.runs) {
    if (at.tasks.front().number == number)
      at.changed.notify_all();  // due earlier than the thread's current
                                // sleep
    return number;
  }
  if (at.thread.joinable()) at.thread.join();  // the thread has no tasks, and has ended or is about to
  try {
    at.thread = std::thread([&at] { watch(at); });
    at.runs = true;
  } catch (const std::system_error&) {  // without a thread there is no watching, and the compile continues
  }
  return number;
}

void compile_watcher::remove(std::uint64_t number) {
  state& at = *now_;
  std::list<task> gone;  // destroyed without the lock, because a task's members are the caller's
  const std::lock_guard lock(at.guard);
  for (auto each = at.tasks.begin(); each != at.tasks.end(); ++each)
    if (each->number == number) {
      gone.splice(gone.begin(), at.tasks, each);
      return;
    }
}

compile_watcher::watched::watched(compile_watcher& by, std::string kernel, std::size_t text_bytes)
    : by_(by),
      number_(by.add(by.patience_, false, [kernel = std::move(kernel), text_bytes, patience = by.patience_] {
        report(log_level::information,
               fmt::format("compiling kernel '{}' ({} bytes of text) has taken {:.1f} s so far and goes on",
                           kernel, text_bytes, std::chrono::duration<double>(patience).count()));
      })) {}
compile_watcher::watched::~watched() { by_.remove(number_); }

compile_watcher::repeated::repeated(compile_watcher& by, std::chrono::milliseconds interval,
                                    std::function<void()> work)
    : by_(by), number_(by.add(interval, true, std::move(work))) {}
compile_watcher::repeated::~repeated() { by_.remove(number_); }

void compile_watcher::stop() {
  std::thread last;
  {
    const std::lock_guard lock(now_->guard);
    now_->stopping = true;
    last = std::move(now_->thread);
  }
  now_->changed.notify_all();
  // a hook that ends the process does so on the watcher's own thread
  if (last.joinable() && last.get_id() == std::this_thread::get_id())
    last.detach();
  else if (last.joinable())
    last.join();
}

void compile_watcher::before_fork() { now_->guard.lock(); }

void compile_watcher::after_fork(bool in_child) {
  state& before = *now_;
  if (in_child) {
    auto fresh = std::make_unique<state>();
    fresh->latest = before.latest;
    fresh->of_parent = std::move(now_);
    now_ = std::move(fresh);
  }
  before.guard.unlock();
}

compile_watcher& process_compile_watcher() {
  static compile_watcher& only = []() -> compile_watcher& {
    auto* const made = new compile_watcher;
    hold_at_fork({.before = [] { process_compile_watcher().before_fork(); },
                  .after = [](bool in_child) { process_compile_watcher().after_fork(in_child); }},
                 fork_order::compile_watcher);
    return *made;
  }();
  return only;
}

}  // namespace sinter::inline v0::runtime
