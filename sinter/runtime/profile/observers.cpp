#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <sinter/runtime/base/thread_notices.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/profile/nvtx_ranges.hpp>
#include <sinter/runtime/profile/observers.hpp>
#include <sinter/runtime/profile/report_at_exit.hpp>

namespace sinter::inline v0::runtime {
namespace {

std::uint8_t observers_from_environment(std::string& fault) {
  std::uint8_t observers = nvtx_is_heard() ? names_ranges : 0;
  const std::string wish = environment_value("SINTER_PROFILE");
  if (wish.empty() || wish == "0") return observers;
  if (wish != "1" && !std::string_view(wish).ends_with(".json")) {
    fault = fmt::format(
        "SINTER_PROFILE is '{}', and nothing is profiled: say 1 for a table at the end of the process, or "
        "the "
        "name of a file that ends in .json, which receives a trace besides",
        wish);
    return observers;
  }
  report_at_exit(wish == "1" ? "" : wish);
  return static_cast<std::uint8_t>(observers | counts_calls | (wish == "1" ? 0 : times_all));
}

bool is_traced_from_environment() {
  return std::string_view(environment_value("SINTER_PROFILE")).ends_with(".json");
}

// Read from the environment on first use. A fault is told once that is done: the log hook may call Sinter.
std::atomic<std::uint8_t>& observers_now() {
  static auto& fault = *new std::string;
  static std::atomic<std::uint8_t> now{observers_from_environment(fault)};
  static std::atomic<bool> is_told{fault.empty()};
  if (!is_told.load(std::memory_order_relaxed) && !is_told.exchange(true)) report(log_level::warning, fault);
  return now;
}

void observe(std::initializer_list<std::pair<observer, bool>> wishes) {
  std::atomic<std::uint8_t>& now = observers_now();
  for (const auto& [which, on] : wishes)
    if (on)
      now.fetch_or(which, std::memory_order_relaxed);
    else
      now.fetch_and(static_cast<std::uint8_t>(~which), std::memory_order_relaxed);
  thread_notices.fetch_add(1, std::memory_order_release);
}

}  // namespace

std::uint8_t current_observers() { return observers_now().load(std::memory_order_relaxed); }

void count_calls(bool on, bool time_all) {
  // a trace that SINTER_PROFILE asks for shows each call, whatever a part of the program asks for
  observe({{counts_calls, on}, {times_all, time_all || is_traced_from_environment()}});
}

void measure_costs(bool on) {
  static auto& guard = *new fork_mutex;
  static std::size_t threads = 0;
  const std::lock_guard lock(guard);
  threads += on ? 1 : std::size_t(-1);
  observe({{measures_costs, threads != 0}});
}

}  // namespace sinter::inline v0::runtime
