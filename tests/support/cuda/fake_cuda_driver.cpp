// A CUDA driver in host memory, for tests on machines without a GPU: it counts calls and fails on request.
// Copies and fills happen at once; launches are only counted. fake_cuda_order.hpp tracks whether streams that
// use the same memory are ordered, destroyed streams are used or captures are invalidated. It lacks some
// functions of newer drivers.
#include "fake_cuda_state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include <sinter/runtime/cuda/driver_types.hpp>

using namespace sinter::runtime;
using namespace sinter::test;

namespace {

CUctx_st contexts[] = {{0}, {1}, {2}, {3}};
CUkern_st the_kernel;

// Threads call the driver until they end, also from destructors: what it keeps for a thread is never
// destroyed.
class context_stack {
 public:
  bool empty() const { return count_ == 0; }
  CUcontext& back() { return contexts_.at(count_ - 1); }
  void push_back(CUcontext context) {
    contexts_.at(count_) = context;
    ++count_;
  }
  void pop_back() { --count_; }

 private:
  std::array<CUcontext, 64> contexts_{};
  std::size_t count_ = 0;
};
thread_local constinit context_stack current;

int device_of_current() { return current.empty() || current.back() == nullptr ? 0 : current.back()->device; }

// A stream by number, independent of its handle. With the lock held.
struct used_stream {
  int number, device;
  CUstream own;  // nullptr for a default stream
};
used_stream find_stream(CUstream handle) {
  fake_state& all = fake();
  if (reinterpret_cast<std::size_t>(handle) > 2) return {handle->number, handle->context->device, handle};
  const int device = device_of_current();
  static thread_local constinit std::array<int, std::size(contexts)> of_thread{};
  int& number = handle == per_thread_default_stream() ? of_thread.at(static_cast<std::size_t>(device))
                                                      : all.default_streams[device];
  if (number == 0) number = all.order.add_stream();
  return {number, device, nullptr};
}

// Using a destroyed handle is the caller's fault.
bool is_dead(CUstream handle, const char* function) {
  if (reinterpret_cast<std::size_t>(handle) <= 2) return false;
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  if (all.streams.count(handle) != 0 && handle->alive) return false;
  all.order.fault(std::string(function) + " touches a stream that was destroyed");
  return true;
}

CUgraph capture_of(const used_stream& on) { return on.own == nullptr ? nullptr : on.own->captured_into; }

// Work that a capture records into its graph does not run now.
CUresult queue(CUstream handle, const char* function, const std::vector<fake_use>& uses,
               bool may_be_captured = true) {
  if (is_dead(handle, function)) return CUresult::invalid_handle;
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  const used_stream on = find_stream(handle);
  if (capture_of(on) != nullptr) {
    if (!may_be_captured) all.order.fault(std::string(function) + " on a stream that is being captured");
    return CUresult::success;
  }
  all.order.queue(on.number, function, uses);
  return CUresult::success;
}

fake_use read_of(CUdeviceptr memory) { return {static_cast<std::uintptr_t>(memory), false}; }
fake_use write_of(CUdeviceptr memory) { return {static_cast<std::uintptr_t>(memory), true}; }

void* at(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }

template <class Value>
CUresult fill(CUdeviceptr to, Value value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(at(to)) + i * sizeof value, &value, sizeof value);
  return CUresult::success;
}

int attribute_value(CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
    case CUdevice_attribute::compute_capability_major:
      return fake().architectures[device] / 10;
    case CUdevice_attribute::compute_capability_minor:
      return fake().architectures[device] % 10;
    case CUdevice_attribute::warp_size:
      return 32;
    case CUdevice_attribute::multiprocessor_count:
      return 132;
    case CUdevice_attribute::max_threads_per_multiprocessor:
      return 2048;
    case CUdevice_attribute::max_registers_per_multiprocessor:
      return 65536;
    case CUdevice_attribute::max_shared_memory_per_block:
      return 49152;
    case CUdevice_attribute::max_shared_memory_per_block_optin:
      return 232448;
    case CUdevice_attribute::l2_cache_size:
      return 62914560;
    case CUdevice_attribute::memory_pools_supported:
      return fake().pools;
    case CUdevice_attribute::cluster_launch:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

namespace sinter::test {

// Arguments are one block, which begins with the addresses of arrays.
std::vector<fake_use> uses_of(void** arguments) {
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  const auto count = static_cast<std::size_t>(all.arrays_read + all.arrays_written);
  if (arguments == nullptr || count == 0) return {};
  std::vector<std::uintptr_t> words(count);
  std::memcpy(words.data(), arguments[0], count * sizeof words[0]);
  std::vector<fake_use> uses;
  for (std::size_t i = 0; i < count; ++i)
    uses.push_back({words[i], i >= static_cast<std::size_t>(all.arrays_read)});
  return uses;
}

CUresult queue_work(CUstream on, const char* function, const std::vector<fake_use>& uses) {
  return queue(on, function, uses);
}

}  // namespace sinter::test

#define FAKE_ENTER()           \
  const driver_call in_driver; \
  if (const CUresult told = enter(__func__); told != CUresult::success) return told
#define FAKE_QUEUE(...) \
  FAKE_ENTER();         \
  if (const CUresult told = queue(__VA_ARGS__); told != CUresult::success) return told
#define FAKE_TRIVIAL(name, parameters) \
  CUresult name parameters {           \
    FAKE_ENTER();                      \
    return CUresult::success;          \
  }

extern "C" {

CUresult cuInit(unsigned) {
  FAKE_ENTER();
  return fake().devices == 0 ? CUresult::no_device : CUresult::success;
}
CUresult cuDriverGetVersion(int* version) {
  FAKE_ENTER();
  *version = fake().version;
  return CUresult::success;
}
CUresult cuGetErrorName(CUresult error, const char** text) {
  FAKE_ENTER();
  static thread_local char name[64];
  if (error == CUresult::illegal_address)
    *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
  else if (error == CUresult::out_of_memory)
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
  else
    *text = (std::snprintf(name, sizeof name, "CUDA_ERROR_FAKE_%d", static_cast<int>(error)), name);
  return CUresult::success;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  FAKE_ENTER();
  *text = "a fake error";
  return CUresult::success;
}
CUresult cuDeviceGetCount(int* count) {
  FAKE_ENTER();
  *count = fake().devices;
  return CUresult::success;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  FAKE_ENTER();
  *device = ordinal;
  return ordinal < fake().devices ? CUresult::success : CUresult::invalid_device;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  FAKE_ENTER();
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return CUresult::success;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  FAKE_ENTER();
  *value = attribute_value(attribute, device);
  return CUresult::success;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  FAKE_ENTER();
  *bytes = std::size_t{1} << 30;
  return CUresult::success;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  FAKE_ENTER();
  *context = &contexts[device];
  return CUresult::success;
}
FAKE_TRIVIAL(cuDevicePrimaryCtxRelease_v2, (CUdevice))
CUresult cuCtxGetCurrent(CUcontext* context) {
  FAKE_ENTER();
  *context = current.empty() ? nullptr : current.back();
  return CUresult::success;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  FAKE_ENTER();
  if (current.empty()) current.push_back(context);
  current.back() = context;
  return CUresult::success;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  FAKE_ENTER();
  current.push_back(context);
  return CUresult::success;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  FAKE_ENTER();
  if (current.empty()) return CUresult::invalid_context;
  *context = current.back();
  current.pop_back();
  return CUresult::success;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  FAKE_ENTER();
  if (current.empty() || current.back() == nullptr) return CUresult::invalid_context;
  *device = current.back()->device;
  return CUresult::success;
}
CUresult cuCtxSynchronize() {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  for (const CUstream each : fake().streams)
    if (each->alive && each->captured_into != nullptr) {
      fake().order.fault("cuCtxSynchronize while a stream is being captured");
      return CUresult::stream_capture_unsupported;
    }
  fake().order.host_waits_for_all();
  return CUresult::success;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  FAKE_ENTER();
  if (current.empty()) return CUresult::invalid_context;
  const std::lock_guard lock(fake().guard);
  *stream = new CUstream_st{current.back(), fake().order.add_stream()};
  (*stream)->is_blocking = flags == 0;
  fake().streams.insert(*stream);
  return CUresult::success;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  FAKE_ENTER();
  if (is_dead(stream, __func__)) return CUresult::invalid_handle;
  const std::lock_guard lock(fake().guard);
  stream->alive = false;
  return CUresult::success;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  FAKE_ENTER();
  if (is_dead(stream, __func__)) return CUresult::invalid_handle;
  *context = stream->context;
  return CUresult::success;
}
CUresult cuStreamSynchronize(CUstream stream) {
  FAKE_ENTER();
  if (is_dead(stream, __func__)) return CUresult::invalid_handle;
  const std::lock_guard lock(fake().guard);
  fake().order.host_waits(fake().order.end_of(find_stream(stream).number));
  return CUresult::success;
}
CUresult cuStreamQuery(CUstream stream) {
  FAKE_ENTER();
  return is_dead(stream, __func__) ? CUresult::invalid_handle : CUresult::success;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  FAKE_ENTER();
  if (is_dead(stream, __func__)) return CUresult::invalid_handle;
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  const used_stream on = find_stream(stream);
  const CUgraph captured = capture_of(on);
  if (event->captured_into != captured) {
    if (captured == nullptr && on.own != nullptr && all.may_fork_captures) {
      on.own->captured_into = event->captured_into;
      return CUresult::success;
    }
    all.order.fault(captured != nullptr ? "a captured stream waits for what is outside of its graph"
                                        : "a stream waits for a captured one, and is captured with it");
    return CUresult::stream_capture_invalidated;
  }
  all.order.wait(on.number, event->reached);
  return CUresult::success;
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  FAKE_ENTER();
  if (is_dead(stream, __func__)) return CUresult::invalid_handle;
  const bool is_created = reinterpret_cast<std::size_t>(stream) > 2;
  if (reinterpret_cast<std::size_t>(stream) == 1) {  // the legacy default stream
    const std::lock_guard lock(fake().guard);
    for (const CUstream each : fake().streams)
      if (each->is_blocking && each->captured_into != nullptr) return CUresult::stream_capture_implicit;
  }
  const bool captured = is_created && stream->captured_into != nullptr;
  *status = captured ? CUstreamCaptureStatus::active : CUstreamCaptureStatus::none;
  return CUresult::success;
}
// NOLINTNEXTLINE(readability-function-size): the driver has these parameters
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, unsigned long long* number,
                                   CUgraph* graph, const CUgraphNode**, const CUgraphEdgeData**,
                                   std::size_t*) {
  if (const CUresult told = cuStreamIsCapturing(stream, status); told != CUresult::success) return told;
  if (*status != CUstreamCaptureStatus::active) return CUresult::success;
  if (number != nullptr) *number = stream->captured_into->number;
  if (graph != nullptr) *graph = stream->captured_into;
  return CUresult::success;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  stream->captured_into = new CUgraph_st{++fake().graphs, stream, {}};
  return CUresult::success;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  *graph = stream->captured_into;
  for (const CUstream each : fake().streams)
    if (each->captured_into == *graph) each->captured_into = nullptr;
  return CUresult::success;
}
CUresult cuUserObjectCreate(CUuserObject* object, void* kept, CUhostFn destroy, unsigned, unsigned) {
  FAKE_ENTER();
  *object = make(CUuserObject_st{kept, destroy});
  return CUresult::success;
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned) {
  FAKE_ENTER();
  object->destroy(object->kept);
  drop(object);
  return CUresult::success;
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned, unsigned) {
  FAKE_ENTER();
  graph->keeps.push_back(object);
  return CUresult::success;
}
CUresult cuGraphDestroy(CUgraph graph) {
  FAKE_ENTER();
  for (const CUuserObject each : graph->keeps) {
    each->destroy(each->kept);
    drop(each);
  }
  delete graph;
  return CUresult::success;
}
FAKE_TRIVIAL(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode*))

CUresult cuEventCreate(CUevent* event, unsigned) {
  FAKE_ENTER();
  *event = make(CUevent_st{});
  return CUresult::success;
}
CUresult cuEventDestroy_v2(CUevent event) {
  FAKE_ENTER();
  drop(event);
  return CUresult::success;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  FAKE_ENTER();
  if (is_dead(stream, __func__)) return CUresult::invalid_handle;
  const std::lock_guard lock(fake().guard);
  const used_stream on = find_stream(stream);
  event->captured_into = capture_of(on);
  event->reached = fake().order.end_of(on.number);
  return CUresult::success;
}
// Work is done as soon as someone asks.
CUresult cuEventQuery(CUevent event) {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  fake().order.host_waits(event->reached);
  return CUresult::success;
}
CUresult cuEventSynchronize(CUevent event) {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  fake().order.host_waits(event->reached);
  return CUresult::success;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  FAKE_ENTER();
  *milliseconds = fake().elapsed_milliseconds;
  return CUresult::success;
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  FAKE_ENTER();
  *free = fake().free_bytes;
  *total = std::size_t{1} << 30;
  return CUresult::success;
}
CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  FAKE_ENTER();
  return allocate(pointer, bytes);
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  FAKE_ENTER();
  return release(pointer);
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  FAKE_ENTER();
  if (const CUresult told = allocate(pointer, bytes); told != CUresult::success) return told;
  {
    const std::lock_guard lock(fake().guard);
    fake().pool_of[at(*pointer)] = pool;
    pool->used += bytes;
    pool->reserved = std::max(pool->reserved, pool->used);
    pool->peak_reserved = std::max(pool->peak_reserved, pool->reserved);
  }
  return queue(stream, __func__, {write_of(*pointer)}, false);
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  FAKE_QUEUE(stream, __func__, {write_of(pointer)}, false);
  return release(pointer);
}
CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  FAKE_ENTER();
  *pointer = std::malloc(bytes);
  fake().pinned.insert(*pointer);
  return CUresult::success;
}
CUresult cuMemFreeHost(void* pointer) {
  FAKE_ENTER();
  fake().pinned.erase(pointer);
  std::free(pointer);
  return CUresult::success;
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps*) {
  FAKE_ENTER();
  *pool = make(CUmemPoolHandle_st{});
  return CUresult::success;
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute, void* value) {
  FAKE_ENTER();
  std::memcpy(&pool->threshold, value, sizeof pool->threshold);
  return CUresult::success;
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  const unsigned long long told = which == CUmemPool_attribute::used_mem_current       ? pool->used
                                  : which == CUmemPool_attribute::reserved_mem_current ? pool->reserved
                                  : which == CUmemPool_attribute::reserved_mem_high    ? pool->peak_reserved
                                                                                       : pool->threshold;
  std::memcpy(value, &told, sizeof told);
  return CUresult::success;
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes_to_keep) {
  FAKE_ENTER();
  const std::lock_guard lock(fake().guard);
  pool->reserved =
      std::max<unsigned long long>(pool->used, std::min<unsigned long long>(pool->reserved, bytes_to_keep));
  return CUresult::success;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream on) {
  FAKE_QUEUE(on, __func__, {write_of(to)});
  std::memcpy(at(to), from, bytes);
  return CUresult::success;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream on) {
  FAKE_QUEUE(on, __func__, {read_of(from)});
  std::memcpy(to, at(from), bytes);
  return CUresult::success;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream on) {
  FAKE_QUEUE(on, __func__, {read_of(from), write_of(to)});
  std::memcpy(at(to), at(from), bytes);
  return CUresult::success;
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes,
                           CUstream on) {
  FAKE_QUEUE(on, __func__, {read_of(from), write_of(to)});
  std::memcpy(at(to), at(from), bytes);
  return CUresult::success;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream on) {
  FAKE_QUEUE(on, __func__, {write_of(to)});
  return fill(to, value, count);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream on) {
  FAKE_QUEUE(on, __func__, {write_of(to)});
  return fill(to, value, count);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream on) {
  FAKE_QUEUE(on, __func__, {write_of(to)});
  return fill(to, value, count);
}
FAKE_TRIVIAL(cuPointerGetAttribute, (void*, CUpointer_attribute, CUdeviceptr))
CUresult cuPointerGetAttributes(unsigned, CUpointer_attribute*, void** values, CUdeviceptr pointer) {
  FAKE_ENTER();
  int& type = *static_cast<int*>(values[0]);
  type = 0;
  if (fake().allocations.count(at(pointer)) != 0) type = static_cast<int>(CUmemorytype::device);
  if (fake().pinned.count(at(pointer)) != 0) type = static_cast<int>(CUmemorytype::host);
  *static_cast<int*>(values[2]) = type == 0 ? -2 : 0;
  return CUresult::success;
}

// NOLINTNEXTLINE(readability-function-size): the driver has these parameters
CUresult cuLibraryLoadData(CUlibrary* library, const void* code, void*, void**, unsigned, void*, void**,
                           unsigned) {
  FAKE_ENTER();
  fake().loaded_from = code;
  *library = make(CUlib_st{static_cast<const char*>(code)});
  return CUresult::success;
}
CUresult cuLibraryUnload(CUlibrary library) {
  FAKE_ENTER();
  drop(library);
  return CUresult::success;
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  FAKE_ENTER();
  // The fake's object code is the list of its kernels' names, in PTX too; for a real cubin or fatbin it
  // accepts every name.
  const auto begins_with = [&](const char* magic) { return library->code.rfind(magic, 0) == 0; };
  if (!begins_with("\x7f"
                   "ELF") &&
      !begins_with("\x50\xed\x55\xba") && library->code.find(name) == std::string::npos)
    return CUresult::not_found;
  the_kernel.library = library;
  *kernel = &the_kernel;
  return CUresult::success;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  FAKE_ENTER();
  if (current.empty()) return CUresult::invalid_context;
  *function = reinterpret_cast<CUfunction>(kernel);
  if (const CUresult refused = fake().refusals[current.back()->device]; refused != CUresult::success)
    return refused;
  return CUresult::success;
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel, CUdevice) {
  FAKE_ENTER();
  *value = attribute == CUfunction_attribute::num_regs ? 32 : 0;
  return CUresult::success;
}
FAKE_TRIVIAL(cuKernelSetAttribute, (CUfunction_attribute, int, CUkernel, CUdevice))
FAKE_TRIVIAL(cuFuncGetAttribute, (int*, CUfunction_attribute, CUfunction))
FAKE_TRIVIAL(cuFuncSetAttribute, (CUfunction, CUfunction_attribute, int))
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, std::size_t) {
  FAKE_ENTER();
  *blocks = 2048 / threads;
  return CUresult::success;
}
// NOLINTNEXTLINE(readability-function-size): the driver has these parameters
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream on, void** arguments, void**) {
  FAKE_QUEUE(on, __func__, uses_of(arguments));
  if (arguments == nullptr) return CUresult::success;
  const std::lock_guard lock(fake().guard);
  std::memcpy(&fake().launched_with, arguments[0], sizeof fake().launched_with);
  return CUresult::success;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction, void** arguments, void**) {
  FAKE_QUEUE(config->stream, __func__, uses_of(arguments));
  return CUresult::success;
}

}  // extern "C"
