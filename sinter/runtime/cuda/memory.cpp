#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>

#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/runtime/base/sizes.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

// Sinter's own pool on a device: the default pool belongs to the whole process, and other libraries rely on
// its settings. By default a pool returns everything to the system at each synchronisation, and the next
// allocation maps it again; this pool retains freed memory.
struct own_pool {
  std::mutex guard;
  std::atomic<CUmemoryPool> pool{nullptr};
};

CUmemoryPool make_pool(const driver_api& api, int device) {
  CUmemPoolProps properties;
  check(api.cuDeviceGet(&properties.location.id, device), "opening a CUDA device");
  CUmemoryPool pool = nullptr;
  check(api.cuMemPoolCreate(&pool, &properties), "making a device's memory pool");
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  check(api.cuMemPoolSetAttribute(pool, CUmemPool_attribute::release_threshold, &threshold),
        "setting a memory pool's threshold");
  return pool;
}

// One per driver, because tests supply several. Never destroyed: memory may be freed while the process ends.
struct driver_pools {
  const driver_api* api;
  std::deque<own_pool> of_devices;
  driver_pools* older;
};
constinit std::atomic<driver_pools*> newest_pools{nullptr};

driver_pools* find_pools(const driver_api& api) {
  driver_pools* at = newest_pools.load(std::memory_order_acquire);
  while (at != nullptr && at->api != &api) at = at->older;
  return at;
}

/// nullptr as long as nothing was allocated.
CUmemoryPool known_pool(const driver_api& api, int device) {
  driver_pools* const found = find_pools(api);
  if (found == nullptr) return nullptr;
  return found->of_devices[static_cast<std::size_t>(device)].pool.load(std::memory_order_acquire);
}

CUmemoryPool pool_of(const driver_api& api, int device) {
  driver_pools* found = find_pools(api);
  if (found == nullptr) {
    static auto& making = *new fork_mutex;
    const std::lock_guard lock(making);
    found = find_pools(api);
    if (found == nullptr) {
      found = new driver_pools{&api, std::deque<own_pool>(static_cast<std::size_t>(cuda_device_count())),
                               newest_pools.load(std::memory_order_relaxed)};
      newest_pools.store(found, std::memory_order_release);
    }
  }
  own_pool& own = found->of_devices[static_cast<std::size_t>(device)];
  if (const CUmemoryPool known = own.pool.load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(own.guard);
  if (own.pool.load(std::memory_order_relaxed) == nullptr)
    own.pool.store(make_pool(api, device), std::memory_order_release);
  return own.pool.load(std::memory_order_relaxed);
}

std::size_t pool_bytes(const driver_api& api, CUmemoryPool pool, CUmemPool_attribute what) {
  std::uint64_t bytes = 0;
  check(api.cuMemPoolGetAttribute(pool, what, &bytes), "asking for the size of a memory pool");
  return static_cast<std::size_t>(bytes);
}

CUresult try_allocate(const driver_api& api, CUdeviceptr& memory, std::size_t bytes, CUstream stream,
                      CUmemoryPool pool) {
  return pool != nullptr ? api.cuMemAllocFromPoolAsync(&memory, bytes, pool, stream)
                         : api.cuMemAlloc_v2(&memory, bytes);
}

// Memory in the pool becomes available to others only after the frees queued on the stream have run.
bool release_kept_memory(const driver_api& api, CUstream stream, CUmemoryPool pool) {
  CUstreamCaptureStatus status = CUstreamCaptureStatus::none;
  if (api.cuStreamIsCapturing(stream, &status) != CUresult::success || status != CUstreamCaptureStatus::none)
    return false;
  return api.cuStreamSynchronize(stream) == CUresult::success &&
         api.cuMemPoolTrimTo(pool, 0) == CUresult::success;
}

[[noreturn]] void throw_out_of_memory(const driver_api& api, std::size_t bytes, int device) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  api.cuMemGetInfo_v2(&free_bytes, &total_bytes);
  throw out_of_memory(fmt::format("allocating {} on CUDA device {} ({}) failed: {} of {} are free; free "
                                  "arrays, write into arrays that "
                                  "exist with .into(), or split the work",
                                  format_bytes(bytes), device, cuda_device(device).name,
                                  format_bytes(free_bytes), format_bytes(total_bytes)),
                      bytes, free_bytes);
}

// One element as 32-bit words, if all its words are equal, or the halves or bytes of its one word are.
struct repeated_element {
  std::size_t bytes;
  std::uint32_t value;
};

repeated_element smallest_repeat(const unsigned char* element, std::size_t bytes) {
  std::size_t period = bytes;
  while (period > 1 && std::memcmp(element, element + period / 2, period / 2) == 0) period /= 2;
  std::uint32_t value = 0;
  std::memcpy(&value, element, std::min(period, sizeof value));
  return {period, value};
}

}  // namespace

void* cuda_allocate(std::size_t bytes, CUstream stream, int device) {
  if (bytes == 0) return nullptr;
  const driver_api& api = require_driver();
  const bool pooled = cuda_device(device).memory_pools;
  const relaxed_capture while_others_capture;
  const context_guard current(stream, device);
  const CUmemoryPool pool = pooled ? pool_of(api, device) : nullptr;
  CUdeviceptr memory = 0;
  CUresult answer = try_allocate(api, memory, bytes, stream, pool);
  if (answer == CUresult::out_of_memory && pooled && release_kept_memory(api, stream, pool))
    answer = try_allocate(api, memory, bytes, stream, pool);
  // for sizes that wrap when rounded up, a driver may return any error
  if (answer == CUresult::out_of_memory || (answer != CUresult::success && bytes > max_bytes))
    throw_out_of_memory(api, bytes, device);
  check(answer, "allocating device memory");
  return reinterpret_cast<void*>(memory);
}

void cuda_free(void* memory, CUstream stream, int device) noexcept {
  if (memory == nullptr) return;
  const driver_api* const api = driver();
  if (api == nullptr) return;  // in the child of a fork: the memory belongs to the parent
  try {
    const relaxed_capture while_others_capture;
    const context_guard current(stream, device);
    report_failure(cuda_device(device).memory_pools ? api->cuMemFreeAsync(address(memory), stream)
                                                    : api->cuMemFree_v2(address(memory)),
                   "freeing device memory");
  } catch (...) {
    report_failure(CUresult::invalid_context, "freeing device memory");
  }
}

pool_state cuda_pool_state(int device) {
  const driver_api& api = require_driver();
  static_cast<void>(cuda_device(device));  // throws for a device that does not exist
  const CUmemoryPool pool = known_pool(api, device);
  if (pool == nullptr) return {};
  // In this order: what is used now was reserved before, unless another thread frees or trims meanwhile.
  pool_state now;
  now.used = pool_bytes(api, pool, CUmemPool_attribute::used_mem_current);
  now.reserved = std::max(now.used, pool_bytes(api, pool, CUmemPool_attribute::reserved_mem_current));
  now.peak_reserved = pool_bytes(api, pool, CUmemPool_attribute::reserved_mem_high);
  return now;
}

std::size_t cuda_trim(int device) {
  const std::size_t before = cuda_pool_state(device).reserved;
  if (before == 0) return 0;
  const driver_api& api = require_driver();
  const relaxed_capture while_others_capture;
  check(api.cuMemPoolTrimTo(known_pool(api, device), 0), "giving back what a memory pool retains");
  const std::size_t after = cuda_pool_state(device).reserved;
  return before - std::min(before, after);
}

memory_state cuda_memory_state(int device) {
  const driver_api& api = require_driver();
  const context_guard current(primary_context(device));
  memory_state now;
  check(api.cuMemGetInfo_v2(&now.free_bytes, &now.total_bytes), "asking for a device's free memory");
  return now;
}

void copy_to_device(void* to, const void* from, std::size_t bytes, CUstream stream, int device) {
  if (bytes == 0) return;
  const driver_api& api = require_driver();
  const context_guard current(stream, device);
  check(api.cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream), "copying from the host to a device");
  // Pageable memory has been read when the call returns; pinned memory is read later.
  if (find_address(from).where != address_facts::place::pageable_host)
    check(api.cuStreamSynchronize(stream), "waiting for a copy to a device");
}

void copy_to_host(void* to, const void* from, std::size_t bytes, CUstream stream, int device) {
  if (bytes == 0) return;
  const driver_api& api = require_driver();
  const context_guard current(stream, device);
  check(api.cuMemcpyDtoHAsync_v2(to, address(from), bytes, stream), "copying from a device to the host");
  check(api.cuStreamSynchronize(stream), "waiting for a copy to the host");
}

void copy_on_device(void* to, const void* from, std::size_t bytes, CUstream stream, int device) {
  if (bytes == 0) return;
  const driver_api& api = require_driver();
  const context_guard current(stream, device);
  check(api.cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, stream), "copying on a device");
}

// NOLINTNEXTLINE(readability-function-size): memory of two devices, and a stream of one of them
void copy_between_devices(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                          CUstream stream, int stream_device) {
  if (bytes == 0) return;
  const driver_api& api = require_driver();
  const context_guard current(stream, stream_device);
  // Memory of a pool has no context; the primary contexts stand for the devices.
  check(api.cuMemcpyPeerAsync(address(to), primary_context(to_device), address(from),
                              primary_context(from_device), bytes, stream),
        "copying between devices");
}

void fill_on_device(void* to, const void* element, std::size_t element_bytes, std::size_t count,
                    CUstream stream, int device) {
  if (count == 0) return;
  const driver_api& api = require_driver();
  const context_guard current(stream, device);
  const std::size_t bytes = element_bytes * count;
  const CUdeviceptr begin = address(to);
  const char* operation = "filling device memory";
  const repeated_element unit = smallest_repeat(static_cast<const unsigned char*>(element), element_bytes);
  switch (unit.bytes) {
    case 1:
      check(api.cuMemsetD8Async(begin, static_cast<unsigned char>(unit.value), bytes, stream), operation);
      return;
    case 2:
      check(api.cuMemsetD16Async(begin, static_cast<unsigned short>(unit.value), bytes / 2, stream),
            operation);
      return;
    case 4:
      check(api.cuMemsetD32Async(begin, unit.value, bytes / 4, stream), operation);
      return;
    default:
      break;
  }
  // Wider elements: writes the words of the first one, then doubles the filled range by copying until it is
  // full. The words are arguments of the calls, so no host memory is read later and the fill can be captured.
  for (std::size_t offset = 0; offset < element_bytes; offset += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, static_cast<const unsigned char*>(element) + offset, sizeof word);
    check(api.cuMemsetD32Async(begin + offset, word, 1, stream), operation);
  }
  for (std::size_t filled = element_bytes; filled < bytes;) {
    const std::size_t more = std::min(filled, bytes - filled);
    check(api.cuMemcpyDtoDAsync_v2(begin + filled, begin, more, stream), operation);
    filled += more;
  }
}

address_facts find_address(const void* pointer) {
  const driver_api& api = require_driver();
  CUpointer_attribute attributes[] = {CUpointer_attribute::memory_type, CUpointer_attribute::is_managed,
                                      CUpointer_attribute::device_ordinal};
  int type = 0;
  int managed = 0;
  int device = -1;
  void* values[] = {&type, &managed, &device};
  address_facts facts;
  // For addresses unknown to CUDA this call returns zeros; the single query would fail.
  const CUresult answer = api.cuPointerGetAttributes(3, attributes, values, address(pointer));
  if (answer == CUresult::invalid_value) return facts;
  check(answer, "asking where an address lives");
  if (type == 0) return facts;
  facts.device = device;
  facts.where = address_facts::place::pinned_host;
  if (type == static_cast<int>(CUmemorytype::device)) facts.where = address_facts::place::device;
  if (managed != 0) facts.where = address_facts::place::managed;
  return facts;
}

pinned_memory::pinned_memory(std::size_t bytes, int device) : bytes_(bytes) {
  const driver_api& api = require_driver();
  const context_guard current(primary_context(device));
  const CUresult answer = api.cuMemHostAlloc(&data_, bytes, host_memory_flag_portable);
  if (answer == CUresult::out_of_memory)
    throw out_of_memory(
        fmt::format("allocating {} of pinned host memory failed; the system allows no more to be pinned",
                    format_bytes(bytes)),
        bytes, 0);
  check(answer, "allocating pinned host memory");
}

pinned_memory::pinned_memory(pinned_memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

pinned_memory& pinned_memory::operator=(pinned_memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

pinned_memory::~pinned_memory() {
  if (data_ == nullptr) return;  // first of all, because calling driver() would initialise it
  if (const driver_api* api = driver())
    report_failure(api->cuMemFreeHost(data_), "freeing pinned host memory");
}

}  // namespace sinter::inline v0::runtime
