#pragma once
// For tests of threads: a place where they wait until they are let through, and waiting for what is due soon.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace sinter::test {

/// Threads wait at it until it is opened.
class gate {
 public:
  void pass() {
    std::unique_lock lock(guard_);
    ++waiting_;
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
    ++passed_;
  }
  void open() {
    {
      const std::lock_guard lock(guard_);
      open_ = true;
    }
    changed_.notify_all();
  }
  int waiting() {
    const std::lock_guard lock(guard_);
    return waiting_;
  }
  int passed() {
    const std::lock_guard lock(guard_);
    return passed_;
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0, passed_ = 0;
};

/// Whether it comes true within a time that is long even for a machine that does much else.
template <class Condition>
bool soon(const Condition& condition, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace sinter::test
