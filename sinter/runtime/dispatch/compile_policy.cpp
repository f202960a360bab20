#include <fmt/format.h>

#include <atomic>
#include <string>

#include <sinter/runtime/base/environment_state.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/environment.hpp>

namespace sinter::inline v0 {
namespace {

// The first caller reports a fault of the variable, after the policy is fixed: the log hook may ask for it
// again.
compile_policy policy_from_environment(std::string& fault) {
  const std::string chosen = runtime::environment_value("SINTER_COMPILE");
  if (chosen == "quick") return compile_policy::quick_first;
  if (!chosen.empty() && chosen != "optimised")
    fault = fmt::format("SINTER_COMPILE is '{}', which is no policy: say quick or optimised", chosen);
  return compile_policy::optimised;
}

// Read from the environment on first use.
std::atomic<compile_policy>& policy() {
  static auto& fault = *new std::string;
  static std::atomic<compile_policy> now{policy_from_environment(fault)};
  static std::atomic<bool> is_told{fault.empty()};
  if (!is_told.load(std::memory_order_relaxed) && !is_told.exchange(true))
    runtime::report(log_level::warning, fault);
  return now;
}

}  // namespace

void set_compile_policy(compile_policy chosen) { policy().store(chosen, std::memory_order_relaxed); }

compile_policy current_compile_policy() {
  const runtime::environment_state* const inside = runtime::current_environment();
  if (inside != nullptr && inside->policy) return *inside->policy;
  return policy().load(std::memory_order_relaxed);
}

}  // namespace sinter::inline v0
