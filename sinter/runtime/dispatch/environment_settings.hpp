#pragma once
// What an environment is made of.
//
// Threads: settings are a value, of one thread; an environment made of them is any thread's.
// Throws: nothing.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/compile_policy.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/parallel_for.hpp>

#include <optional>

namespace sinter::inline v0 {

/// What an environment sets; all else is the process's.
struct environment_settings {
  /// For arrays, results and workspaces; an empty resource stands for Sinter's own memory. A call's own
  /// `.memory(…)` goes before it. GPUs share one, which is told the stream.
  std::optional<memory_resource> cpu_memory{}, gpu_memory{};
  /// Takes what calls in this environment report, also in the background. `log_data` is passed along.
  log_hook_with_data log = nullptr;
  void* log_data = nullptr;
  std::optional<compile_policy> policy{};
  /// A cache of its own; packs that ship with the program are found by it, too.
  std::optional<cache_settings> cache{};
  parallel_for_function parallel_for{};
};

}  // namespace sinter::inline v0
