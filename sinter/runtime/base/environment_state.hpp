#pragma once
// What an environment sets, and the one that a thread is in. Whoever needs a part asks here first, and then
// the process.

#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/environment.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/parallel_for.hpp>

#include <atomic>
#include <memory>
#include <optional>

namespace sinter::inline v0::runtime {

class kernel_cache;

struct environment_state {
  std::optional<memory_resource> cpu_memory{}, gpu_memory{};
  log_hook_with_data log = nullptr;
  void* log_data = nullptr;
  std::optional<compile_policy> policy{};
  std::shared_ptr<kernel_cache> cache{};
  parallel_for_function parallel_for{};
  mutable std::atomic<int> users{1};
};

/// nullptr: the process's.
const environment_state* current_environment() noexcept;

/// The threads that work on the CPU in this environment; nullptr: oneTBB's.
inline const parallel_for_function* current_parallel_for() noexcept {
  const environment_state* const now = current_environment();
  return now != nullptr && now->parallel_for.run != nullptr ? &now->parallel_for : nullptr;
}

}  // namespace sinter::inline v0::runtime
