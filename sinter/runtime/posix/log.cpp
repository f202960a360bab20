#include <atomic>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

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

std::atomic<log_hook> current_hook{&print_if_asked};

}  // namespace

log_hook set_log_hook(log_hook hook) noexcept { return current_hook.exchange(hook); }

namespace runtime {

namespace {
thread_local constinit deferred_reports* innermost = nullptr;
}  // namespace

void report(log_level level, std::string_view text) noexcept {
  if (innermost == nullptr) {
    if (const log_hook hook = current_hook.load()) hook(level, text);
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
