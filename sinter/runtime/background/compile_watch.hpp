#pragma once
// Actions during a compile: logging that it takes long, and signalling progress to other processes.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sinter::inline v0::runtime {

/// Watches compiles of any number of threads with one thread, which exists only while something is watched.
/// Safe from any thread.
class compile_watcher {
 public:
  explicit compile_watcher(std::chrono::milliseconds patience = std::chrono::seconds(2));
  compile_watcher(const compile_watcher&) = delete;
  compile_watcher& operator=(const compile_watcher&) = delete;
  ~compile_watcher();

  /// One compile, for the lifetime of this object. If it exceeds the watcher's patience, the log hook is told
  /// once (information).
  class watched {
   public:
    watched(compile_watcher& by, std::string kernel, std::size_t text_bytes);
    watched(const watched&) = delete;
    watched& operator=(const watched&) = delete;
    ~watched();

   private:
    compile_watcher& by_;
    std::uint64_t number_;
  };

  /// An action that the watcher's thread repeats at an interval during the lifetime of this object, first
  /// after one interval. It owns what it uses, because its last run may still be in progress when this object
  /// is destroyed.
  class repeated {
   public:
    repeated(compile_watcher& by, std::chrono::milliseconds interval, std::function<void()> work);
    repeated(const repeated&) = delete;
    repeated& operator=(const repeated&) = delete;
    ~repeated();

   private:
    compile_watcher& by_;
    std::uint64_t number_;
  };

  /// Ends the thread; nothing is watched afterwards.
  void stop();

  // Around fork(), in the forking thread.
  void before_fork();
  void after_fork(bool in_child);

 private:
  struct state;
  static void watch(state& at);
  std::uint64_t add(std::chrono::milliseconds delay, bool again, std::function<void()> work);
  void remove(std::uint64_t number);
  const std::chrono::milliseconds patience_;
  std::unique_ptr<state> now_;
};

/// The watcher of this process. Never destroyed.
compile_watcher& process_compile_watcher();

}  // namespace sinter::inline v0::runtime
