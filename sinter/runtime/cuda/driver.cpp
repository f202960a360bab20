#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr bool essential = true;
constexpr bool optional = false;

constexpr library_function rows[] = {
#define SINTER_ROW(need, name, parameters) {#name, offsetof(driver_api, name), need},
    SINTER_DRIVER_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
};

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string too_old(const dynamic_library& library, int version) {
  return fmt::format(
      "the NVIDIA driver is too old: {} speaks CUDA {}, Sinter needs {} or newer; install a newer NVIDIA "
      "driver",
      library.name(), version_text(version), version_text(min_driver_version));
}

std::string initialisation_failure(const dynamic_library& library, const driver_api& table, CUresult answer) {
  if (answer == CUresult::no_device)
    return fmt::format(
        "no CUDA device: {} is installed (CUDA {}) but finds no GPU; check that one is present, that "
        "CUDA_VISIBLE_DEVICES does not hide it and, in a container, that it was passed in",
        library.name(), version_text(table.version));
  const char* name = nullptr;
  const char* text = nullptr;
  table.cuGetErrorName(answer, &name);
  table.cuGetErrorString(answer, &text);
  const char* advice = "check with nvidia-smi that the driver works";
  if (answer == CUresult::system_driver_mismatch)
    advice =
        "the driver's library and its kernel module differ in version: reboot, or reload the kernel module";
  if (answer == CUresult::not_initialized)
    advice =
        "a process forked after CUDA was first used cannot use it: start processes with exec or spawn "
        "instead";
  return fmt::format("the NVIDIA driver {} did not start: cuInit answered {} ({}, {}); {}", library.name(),
                     name != nullptr ? name : "an unknown error", static_cast<int>(answer),
                     text != nullptr ? text : "no description", advice);
}

// The result of driver() with its reason. The first use opens the real driver; an override replaces the
// result.
struct driver_state {
  std::once_flag opened;
  driver_api table;
  std::string reason;
  std::atomic<const driver_api*> answer{nullptr};
  std::atomic<bool> decided{false};
  std::mutex guard;  // guards the reason and the override
};

driver_state& state() {
  // Never destroyed: static destructors elsewhere may still release device memory.
  static driver_state* const only = new driver_state;
  return *only;
}

// A driver that was initialised before a fork works only in the parent: in the child, calls from destructors
// and exit handlers would fail, or end the process by a signal.
void forget_in_child(driver_state& all) {
  if (all.answer.load(std::memory_order_relaxed) != &all.table) return;
  all.answer.store(nullptr, std::memory_order_relaxed);
  all.reason =
      "the CUDA driver was started before this process was forked, and works in the parent alone: use CUDA "
      "in "
      "a program that the child starts by exec, or fork before the first use of CUDA";
}

void open_real_driver(driver_state& all) {
  std::call_once(all.opened, [&] {
    std::string why;
    const bool loaded = load_driver(driver_candidates(), all.table, why);
    if (loaded) {
      finish_compiles_at_exit();
      hold_at_fork({.before = [] { state().guard.lock(); },
                    .after =
                        [](bool in_child) {
                          if (in_child) forget_in_child(state());
                          state().guard.unlock();
                        }},
                   fork_order::cuda_driver);
    }
    const std::lock_guard lock(all.guard);
    all.reason = std::move(why);
    all.answer.store(loaded ? &all.table : nullptr, std::memory_order_relaxed);
    all.decided.store(true, std::memory_order_release);
  });
}

}  // namespace

std::vector<std::string> driver_candidates() {
  if (std::string chosen = environment_value("SINTER_CUDA_DRIVER"); !chosen.empty())
    return {std::move(chosen)};
  return {"libcuda.so.1"};
}

bool load_driver(std::span<const std::string> candidates, driver_api& table, std::string& why) {
  std::string answers;
  std::optional<dynamic_library> library = dynamic_library::open(candidates, answers);
  if (!library) {
    why = fmt::format("no NVIDIA driver: {} was not found ({}); install the NVIDIA driver, CUDA {} or newer",
                      candidates.empty() ? "libcuda.so.1" : candidates.front(), answers,
                      version_text(min_driver_version));
    return false;
  }
  library->keep_open();
  table = {};
  const char* missing = fill_function_table(*library, &table, rows);
  if (table.cuDriverGetVersion == nullptr || table.cuInit == nullptr) {
    why = fmt::format(
        "{} is no CUDA driver: it has no {}; check $SINTER_CUDA_DRIVER and the library search path",
        library->name(), missing);
    return false;
  }
  // The version is available before initialisation, which distinguishes an old driver from a broken one.
  table.cuDriverGetVersion(&table.version);
  if (table.version < min_driver_version) {
    why = too_old(*library, table.version);
    return false;
  }
  if (missing != nullptr) {
    why = fmt::format("the NVIDIA driver {} (CUDA {}) lacks {}; install a newer NVIDIA driver",
                      library->name(), version_text(table.version), missing);
    return false;
  }
  if (const CUresult answer = table.cuInit(0); answer != CUresult::success) {
    why = initialisation_failure(*library, table, answer);
    return false;
  }
  int devices = 0;
  if (table.cuDeviceGetCount(&devices) != CUresult::success || devices == 0) {
    why = initialisation_failure(*library, table, CUresult::no_device);
    return false;
  }
  return true;
}

const driver_api* driver() noexcept {
  driver_state& all = state();
  if (!all.decided.load(std::memory_order_acquire)) [[unlikely]] {
    try {
      open_real_driver(all);
    } catch (...) {
      return nullptr;  // out of host memory; the next call tries again
    }
  }
  return all.answer.load(std::memory_order_acquire);
}

std::string driver_absence_reason() {
  if (driver() != nullptr) return {};
  const std::lock_guard lock(state().guard);
  return state().reason;
}

const driver_api& require_driver() {
  if (const driver_api* table = driver()) return *table;
  throw device_error(driver_absence_reason());
}

driver_override::driver_override(const driver_api* table, std::string reason) : previous_(driver()) {
  driver_state& all = state();
  const std::lock_guard lock(all.guard);
  previous_reason_ = std::exchange(all.reason, std::move(reason));
  all.answer.store(table, std::memory_order_release);
}

driver_override::~driver_override() {
  driver_state& all = state();
  const std::lock_guard lock(all.guard);
  all.reason = std::move(previous_reason_);
  all.answer.store(previous_, std::memory_order_release);
}

}  // namespace sinter::inline v0::runtime
