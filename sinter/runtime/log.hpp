#pragma once
// What the library has to say beside its results: one hook for all of it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

enum class log_level : std::uint8_t {
  information,  ///< worth knowing, as a slow compile
  warning,      ///< something was worked around
  error,        ///< something failed where nothing could be thrown, as in a destructor
};

/// Called from any thread, never with a lock held or while others wait for what the thread makes: it may call
/// Sinter itself. Must not throw. The text lives for the call.
using log_hook = void (*)(log_level, std::string_view text);

/// Replaces the hook and returns the one before. Without a call, warnings and errors go to standard error;
/// nullptr silences everything.
log_hook set_log_hook(log_hook hook) noexcept;

namespace runtime {

/// Hands a message to the hook.
void report(log_level level, std::string_view text) noexcept;

/// Keeps what this thread reports in a scope until its end: for scopes that others wait for, where a hook
/// that calls Sinter would wait for itself.
class deferred_reports {
 public:
  deferred_reports() noexcept;
  deferred_reports(const deferred_reports&) = delete;
  deferred_reports& operator=(const deferred_reports&) = delete;
  ~deferred_reports();

 private:
  friend void report(log_level level, std::string_view text) noexcept;
  struct message {
    log_level level;
    std::string text;
  };
  deferred_reports* const outer_;
  std::vector<message> kept_;
};

}  // namespace runtime
}  // namespace sinter
