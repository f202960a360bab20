#pragma once
// What the log hook is told in a scope.

#include <sinter/runtime/log.hpp>

#include <string>
#include <string_view>

namespace sinter::test {

/// Keeps the text of messages, a line each, until the next one is made. One at a time; the hook before it is
/// set again at its end.
class kept_log {
 public:
  static inline std::string text;

  kept_log() {
    text.clear();
    before_ = set_log_hook([](log_level, std::string_view told) { text.append(told) += '\n'; });
  }
  kept_log(const kept_log&) = delete;
  kept_log& operator=(const kept_log&) = delete;
  ~kept_log() { set_log_hook(before_); }

 private:
  log_hook before_;
};

}  // namespace sinter::test
