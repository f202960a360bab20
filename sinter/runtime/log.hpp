#pragma once
// The log hook, which receives everything that the library reports beside its results.
//
// Threads: any thread may call these at any time; deferred_reports is the thread's that made it.
// Throws: nothing.

#include <sinter/codegen/base/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

enum class log_level : std::uint8_t {
  information,  ///< worth knowing, such as a slow compile
  warning,      ///< a problem that the library worked around
  error,        ///< a failure where nothing can be thrown, such as in a destructor
};

/// Called from any thread, never with a lock held and never while other threads wait for this one. It may
/// call Sinter itself. It must not throw. The text is valid during the call.
using log_hook = void (*)(log_level, std::string_view text);

/// The same with data of the program's own, which is passed along.
using log_hook_with_data = void (*)(void* data, log_level, std::string_view text);

/// Replaces the hook, of either kind, and returns the previous one; nullptr if that has data. Without a hook
/// of the program's, SINTER_LOG says what is printed on standard error: "error", "warning" or "information",
/// each with what is worse; else nothing is. nullptr silences everything. Threads may call it at any time.
SINTER_API log_hook set_log_hook(log_hook hook) noexcept;
/// The same for a hook with data. A thread that is reporting may still call the previous hook after this
/// returns: its data outlives such calls.
SINTER_API void set_log_hook(log_hook_with_data hook, void* data) noexcept;

namespace runtime {

/// Passes a message to the hook.
SINTER_API void report(log_level level, std::string_view text) noexcept;

/// Defers this thread's messages to the end of a scope. For scopes that other threads wait for: a hook that
/// calls Sinter there would wait for itself.
class SINTER_API deferred_reports {
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
}  // namespace sinter::inline v0
