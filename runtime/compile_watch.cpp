#include <fmt/format.h>

#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <sinter/runtime/compile_watch.hpp>
#include <sinter/runtime/fork.hpp>
#include <sinter/runtime/log.hpp>

namespace sinter::runtime {
namespace {

using steady = std::chrono::steady_clock;

struct watched_compile {
  std::uint64_t number = 0;
  std::string kernel;
  std::size_t text_bytes = 0;
  steady::time_point until;
};

}  // namespace

struct compile_watcher::state {
  std::mutex guard;
  std::condition_variable changed;
  std::list<watched_compile> compiles;  // that nothing was said of, the oldest first
  std::uint64_t latest = 0;
  std::thread thread;
  bool runs = false;  ///< the thread looks at `compiles` again before it ends
  bool stopping = false;
  std::unique_ptr<state> of_parent;  ///< its thread is not here; kept, since it cannot be destroyed
};

compile_watcher::compile_watcher(std::chrono::milliseconds patience)
    : patience_(patience), now_(std::make_unique<state>()) {}

compile_watcher::~compile_watcher() { stop(); }

// Sleeps until the oldest compile has taken too long. Those that come meanwhile are due later, and most are
// done by then: a compile wakes nobody.
void compile_watcher::watch(state& at, std::chrono::milliseconds patience) {
  std::unique_lock lock(at.guard);
  while (!at.stopping && !at.compiles.empty()) {
    const steady::time_point due = at.compiles.front().until;
    at.changed.wait_until(lock, due, [&] { return at.stopping; });
    if (at.stopping || at.compiles.empty() || at.compiles.front().until > steady::now()) continue;
    const watched_compile slow = std::move(at.compiles.front());
    at.compiles.pop_front();
    lock.unlock();
    report(log_level::information,
           fmt::format("compiling kernel '{}' ({} bytes of text) has taken {:.1f} s so far and goes on",
                       slow.kernel, slow.text_bytes, std::chrono::duration<double>(patience).count()));
    lock.lock();
  }
  at.runs = false;
}

compile_watcher::watched::watched(compile_watcher& by, std::string kernel, std::size_t text_bytes) : by_(by) {
  state& at = *by.now_;
  const std::lock_guard lock(at.guard);
  number_ = ++at.latest;
  if (at.stopping) return;
  at.compiles.push_back({number_, std::move(kernel), text_bytes, steady::now() + by.patience_});
  if (at.runs) return;
  if (at.thread.joinable()) at.thread.join();  // it has seen to everything, and has ended or is about to
  try {
    at.thread = std::thread([&at, patience = by.patience_] { watch(at, patience); });
    at.runs = true;
  } catch (const std::system_error&) {  // nobody watches, and the compile goes on all the same
  }
}

compile_watcher::watched::~watched() {
  state& at = *by_.now_;
  const std::lock_guard lock(at.guard);
  at.compiles.remove_if([&](const watched_compile& each) { return each.number == number_; });
}

void compile_watcher::stop() {
  std::thread last;
  {
    const std::lock_guard lock(now_->guard);
    now_->stopping = true;
    last = std::move(now_->thread);
  }
  now_->changed.notify_all();
  // a hook that ends the process does so from the watcher's own thread
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

}  // namespace sinter::runtime
