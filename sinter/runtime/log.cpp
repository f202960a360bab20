#include <atomic>
#include <cstdio>

#include <sinter/runtime/log.hpp>

namespace sinter::inline v0 {
namespace {

void write_to_standard_error(log_level level, std::string_view text) {
  if (level == log_level::information) return;
  std::fprintf(stderr, "sinter: %s: %.*s\n", level == log_level::warning ? "warning" : "error",
               static_cast<int>(text.size()), text.data());
}

std::atomic<log_hook> current_hook{&write_to_standard_error};

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
