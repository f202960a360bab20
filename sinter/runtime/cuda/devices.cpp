#include <fmt/format.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

struct device_entry {
  CUdevice handle = 0;
  cuda_device_facts facts;
  std::once_flag retained;
  std::atomic<CUcontext> primary{nullptr};
};

// The devices of one driver. Tests supply their own drivers, so several lists may exist. No list is freed,
// because callers hold references to its facts.
struct device_list {
  const driver_api* api = nullptr;
  std::deque<device_entry> devices;
};

template <class Number>
void read(const driver_api& api, CUdevice device, CUdevice_attribute attribute, Number& into) {
  int value = 0;
  check(api.cuDeviceGetAttribute(&value, attribute, device), "reading a device's attributes");
  into = static_cast<Number>(value);
}

cuda_device_facts read_facts(const driver_api& api, CUdevice device, int ordinal) {
  using attribute = CUdevice_attribute;
  cuda_device_facts facts;
  facts.ordinal = ordinal;
  std::array<char, 256> name{};
  check(api.cuDeviceGetName(name.data(), static_cast<int>(name.size() - 1), device),
        "reading a device's name");
  facts.name = name.data();
  check(api.cuDeviceTotalMem_v2(&facts.memory_bytes, device), "reading a device's memory size");
  read(api, device, attribute::compute_capability_major, facts.capability_major);
  read(api, device, attribute::compute_capability_minor, facts.capability_minor);
  read(api, device, attribute::multiprocessor_count, facts.multiprocessors);
  read(api, device, attribute::warp_size, facts.warp_size);
  read(api, device, attribute::max_threads_per_block, facts.max_threads_per_block);
  read(api, device, attribute::max_threads_per_multiprocessor, facts.max_threads_per_multiprocessor);
  read(api, device, attribute::max_blocks_per_multiprocessor, facts.max_blocks_per_multiprocessor);
  read(api, device, attribute::max_registers_per_multiprocessor, facts.registers_per_multiprocessor);
  read(api, device, attribute::max_grid_dim_x, facts.max_grid_x);
  read(api, device, attribute::max_shared_memory_per_multiprocessor, facts.shared_bytes_per_multiprocessor);
  read(api, device, attribute::max_shared_memory_per_block, facts.shared_bytes_per_block);
  read(api, device, attribute::max_shared_memory_per_block_optin, facts.shared_bytes_per_block_opt_in);
  read(api, device, attribute::reserved_shared_memory_per_block, facts.shared_bytes_reserved_per_block);
  read(api, device, attribute::l2_cache_size, facts.l2_bytes);
  read(api, device, attribute::memory_pools_supported, facts.memory_pools);
  read(api, device, attribute::cluster_launch, facts.cluster_launch);
  read(api, device, attribute::cooperative_launch, facts.cooperative_launch);
  return facts;
}

std::unique_ptr<device_list> read_devices(const driver_api& api) {
  auto list = std::make_unique<device_list>();
  list->api = &api;
  int count = 0;
  check(api.cuDeviceGetCount(&count), "counting CUDA devices");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    device_entry& entry = list->devices.emplace_back();
    check(api.cuDeviceGet(&entry.handle, ordinal), "opening a CUDA device");
    entry.facts = read_facts(api, entry.handle, ordinal);
  }
  return list;
}

device_list& devices_of(const driver_api& api) {
  static std::atomic<device_list*> latest{nullptr};
  if (device_list* list = latest.load(std::memory_order_acquire); list != nullptr && list->api == &api)
    return *list;
  static std::mutex guard;
  static std::vector<std::unique_ptr<device_list>>* const lists =
      new std::vector<std::unique_ptr<device_list>>;
  const std::lock_guard lock(guard);
  for (const auto& list : *lists)
    if (list->api == &api) {
      latest.store(list.get(), std::memory_order_release);
      return *list;
    }
  lists->push_back(read_devices(api));
  latest.store(lists->back().get(), std::memory_order_release);
  return *lists->back();
}

device_entry& entry_of(const driver_api& api, int ordinal) {
  device_list& list = devices_of(api);
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= list.devices.size())
    throw device_error(
        fmt::format("there is no CUDA device {}: this process sees {} (0 to {}); CUDA_VISIBLE_DEVICES "
                    "decides which",
                    ordinal, list.devices.size(), list.devices.size() - 1));
  return list.devices[static_cast<std::size_t>(ordinal)];
}

// 0, 1 and 2 stand for the default streams of the current context.
bool is_default(CUstream stream) {
  return stream == nullptr || stream == legacy_default_stream() || stream == per_thread_default_stream();
}

}  // namespace

int cuda_device_count() noexcept {
  const driver_api* api = driver();
  int count = 0;
  if (api == nullptr || api->cuDeviceGetCount(&count) != CUresult::success) return 0;
  return count;
}

const cuda_device_facts& cuda_device(int ordinal) { return entry_of(require_driver(), ordinal).facts; }

CUcontext primary_context(int ordinal) {
  const driver_api& api = require_driver();
  device_entry& entry = entry_of(api, ordinal);
  if (CUcontext known = entry.primary.load(std::memory_order_acquire)) return known;
  // A failure leaves the flag unset, so that the next call tries again.
  std::call_once(entry.retained, [&] {
    CUcontext context = nullptr;
    check(api.cuDevicePrimaryCtxRetain(&context, entry.handle), "opening the device's primary CUDA context");
    entry.primary.store(context, std::memory_order_release);
  });
  return entry.primary.load(std::memory_order_acquire);
}

CUcontext context_of(CUstream stream, int ordinal) {
  const driver_api& api = require_driver();
  CUcontext context = nullptr;
  if (!is_default(stream)) {
    check(api.cuStreamGetCtx(stream, &context), "asking a stream for its CUDA context");
    return context;
  }
  check(api.cuCtxGetCurrent(&context), "asking for the current CUDA context");
  return context_of_default_stream(context, ordinal);
}

// Primary contexts that were opened here are known; others are asked for their device.
CUcontext context_of_default_stream(CUcontext current, int ordinal) {
  const CUcontext primary = primary_context(ordinal);
  if (current == nullptr || current == primary) return primary;
  const driver_api& api = require_driver();
  for (const device_entry& entry : devices_of(api).devices)
    if (entry.primary.load(std::memory_order_acquire) == current) return primary;
  CUdevice device = 0;
  const bool fits =
      api.cuCtxGetDevice(&device) == CUresult::success && device == entry_of(api, ordinal).handle;
  return fits ? current : primary;
}

int device_of(CUcontext context) {
  const driver_api& api = require_driver();
  const context_guard current(context);
  CUdevice device = 0;
  check(api.cuCtxGetDevice(&device), "asking a CUDA context for its device");
  for (const device_entry& entry : devices_of(api).devices)
    if (entry.handle == device) return entry.facts.ordinal;
  throw device_error(fmt::format("CUDA device handle {} belongs to no device this process sees", device));
}

namespace {
CUcontext current_context() {
  CUcontext current = nullptr;
  check(require_driver().cuCtxGetCurrent(&current), "asking for the current CUDA context");
  return current;
}
}  // namespace

context_guard::context_guard(CUcontext context) : context_guard(context, current_context()) {}

context_guard::context_guard(CUcontext context, CUcontext current) : context_(context) {
  if (current == context) return;
  check(require_driver().cuCtxPushCurrent_v2(context), "making a CUDA context current");
  pushed_ = true;
}

context_guard::~context_guard() {
  if (!pushed_) return;
  const driver_api* api = driver();
  CUcontext popped = nullptr;
  if (api != nullptr) report_failure(api->cuCtxPopCurrent_v2(&popped), "restoring the current CUDA context");
}

}  // namespace sinter::inline v0::runtime
