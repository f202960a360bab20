#include <cstdio>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <sinter/runtime/base/environment_state.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/environment.hpp>

namespace sinter::inline v0 {
namespace {

constexpr std::string_view level_names[] = {"information", "warning", "error"};

/// The number of the least level that SINTER_LOG asks for; without it none is.
std::size_t least_printed_level() noexcept {
  try {
    const std::string asked = runtime::environment_value("SINTER_LOG");
    std::size_t level = 0;
    while (level < std::size(level_names) && level_names[level] != asked) ++level;
    return level;
  } catch (...) {  // no memory to read it
    return std::size(level_names);
  }
}

void print_if_asked(log_level level, std::string_view text) {
  static const std::size_t least = least_printed_level();
  const auto number = static_cast<std::size_t>(level);
  if (number < least) return;
  const std::string_view name = level_names[number];
  std::fprintf(stderr, "sinter: %.*s: %.*s\n", static_cast<int>(name.size()), name.data(),
               static_cast<int>(text.size()), text.data());
}

/// A hook of one kind, or none.
struct hook_in_use {
  log_hook plain = nullptr;
  log_hook_with_data with_data = nullptr;
  void* data = nullptr;

  void operator()(log_level level, std::string_view text) const {
    if (plain != nullptr) plain(level, text);
    if (with_data != nullptr) with_data(data, level, text);
  }
};

/// Two words that change together. Reports are rare: a lock for the time of a copy costs nothing.
constinit std::mutex hook_changes;
constinit hook_in_use current_hook{&print_if_asked};

hook_in_use exchange_hook(const hook_in_use& next) {
  const std::lock_guard lock(hook_changes);
  return std::exchange(current_hook, next);
}
hook_in_use hook_now() {
  const std::lock_guard lock(hook_changes);
  return current_hook;
}

}  // namespace

log_hook set_log_hook(log_hook hook) noexcept { return exchange_hook({.plain = hook}).plain; }
void set_log_hook(log_hook_with_data hook, void* data) noexcept {
  exchange_hook({.with_data = hook, .data = data});
}

namespace runtime {

namespace {
thread_local constinit deferred_reports* innermost = nullptr;
}  // namespace

void report(log_level level, std::string_view text) noexcept {
  if (innermost == nullptr) {
    const environment_state* const inside = current_environment();
    if (inside != nullptr && inside->log != nullptr)
      inside->log(inside->log_data, level, text);
    else
      hook_now()(level, text);
    return;
  }
  try {
    innermost->kept_.push_back({level, std::string(text)});
  } catch (...) {
    // There is no memory to hold the message: drop it, because reporting that could recurse without end.
  }
}

deferred_reports::deferred_reports() noexcept : outer_(innermost) { innermost = this; }

deferred_reports::~deferred_reports() {
  innermost = outer_;
  for (const message& each : kept_) report(each.level, each.text);
}

}  // namespace runtime
}  // namespace sinter::inline v0
