#include <memory>

#include <sinter/runtime/base/environment_state.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/dispatch/environment_settings.hpp>
#include <sinter/runtime/environment.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0 {
namespace {

void check_memory(const std::optional<memory_resource>& from, device::kind which) {
  if (!from || from->serves(which)) return;
  throw device_error(
      which == device::kind::cpu
          ? "an environment's cpu_memory is a GPU's: supply a resource whose memory the host can use"
          : "an environment's gpu_memory is the CPU's alone (as that of std::pmr is): supply a "
            "resource that takes a stream and whose memory GPUs can use");
}

}  // namespace

environment::environment(const environment_settings& settings) {
  if (settings.parallel_for.run != nullptr && settings.parallel_for.threads == 0)
    throw error(
        "an environment's parallel_for has 0 threads: say how many of its pieces run at once, 1 or more");
  check_memory(settings.cpu_memory, device::kind::cpu);
  check_memory(settings.gpu_memory, device::kind::cuda);
  auto made = std::make_unique<runtime::environment_state>();
  made->cpu_memory = settings.cpu_memory;
  made->gpu_memory = settings.gpu_memory;
  made->log = settings.log;
  made->log_data = settings.log_data;
  made->policy = settings.policy;
  made->parallel_for = settings.parallel_for;
  if (settings.cache) made->cache = runtime::make_cache(*settings.cache);
  state_ = made.release();
}

}  // namespace sinter::inline v0
