#pragma once
// Says that a compile takes long, while it does.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sinter::runtime {

/// Watches compiles of any number of threads with one thread of its own, which is there only while something
/// is watched. What is not done after `patience` is told to the log hook (information), once. Safe from any
/// thread.
class compile_watcher {
 public:
  explicit compile_watcher(std::chrono::milliseconds patience = std::chrono::seconds(2));
  compile_watcher(const compile_watcher&) = delete;
  compile_watcher& operator=(const compile_watcher&) = delete;
  ~compile_watcher();

  /// One compile, for as long as this lives.
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

  /// Ends the thread; nothing is watched any more.
  void stop();

  // Around fork(), in the thread that calls it.
  void before_fork();
  void after_fork(bool in_child);

 private:
  struct state;
  static void watch(state& at, std::chrono::milliseconds patience);
  const std::chrono::milliseconds patience_;
  std::unique_ptr<state> now_;
};

/// The watcher of this process. Never destroyed.
compile_watcher& process_compile_watcher();

}  // namespace sinter::runtime
