#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/profile.hpp>
#include <sinter/runtime/profile/report_at_exit.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// What is to be reported. Never destroyed.
struct planned_report {
  std::string trace_path;
  fork_mutex counts_forks{};  ///< fork_generation() counts once there is one
  std::uint64_t process = fork_generation();
};
std::atomic<const planned_report*> planned{nullptr};
std::atomic<bool> is_before_driver{false};

// Children of a fork report nothing: their parent does.
void report_now() {
  const planned_report* const to = planned.exchange(nullptr);
  if (to == nullptr || to->process != fork_generation()) return;
  try {
    const std::string table = to_string(profile());
    std::fwrite(table.data(), 1, table.size(), stderr);
    if (!to->trace_path.empty()) write_trace(to->trace_path);
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "sinter: the profile that SINTER_PROFILE asks for is not complete: %s\n",
                 failed.what());
  }
}

}  // namespace

void report_at_exit(const std::string& trace_path) {
  planned.store(new planned_report{.trace_path = trace_path}, std::memory_order_release);
  std::atexit(report_now);
}

void report_before_driver_ends() {
  if (is_before_driver.load(std::memory_order_relaxed)) [[likely]]
    return;
  if (!is_before_driver.exchange(true) && planned.load(std::memory_order_acquire) != nullptr)
    std::atexit(report_now);
}

}  // namespace sinter::inline v0::runtime
