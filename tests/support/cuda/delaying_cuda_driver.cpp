// The real CUDA driver with delays before about half of what is queued on any stream: work that is ordered by
// luck alone goes wrong. SINTER_CUDA_DRIVER names this library; functions that are not here are found in the
// real driver, which it is linked with.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <sinter/runtime/cuda/driver_types.hpp>

using namespace sinter::v0::runtime;

extern "C" CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data);

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void wait_microseconds(void* microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(reinterpret_cast<std::uintptr_t>(microseconds)));
}

// Said at the end, so that a run without any delay is not taken for one that nothing disturbs.
struct delay_count {
  std::atomic<std::uint32_t> all{0};
  ~delay_count() { std::fprintf(stderr, "delaying_cuda: %u calls\n", all.load()); }
} counted;

// Another sequence for each order in which threads queue work.
void delay(CUstream stream) {
  std::atomic<std::uint32_t>& count = counted.all;
  const std::uint32_t drawn = (count.fetch_add(1, std::memory_order_relaxed) + 1) * 2654435761u >> 16;
  if (drawn % 2 == 0) return;
  cuLaunchHostFunc(stream, &wait_microseconds, reinterpret_cast<void*>(std::uintptr_t{drawn % 400}));
}

}  // namespace

// NOLINTBEGIN(readability-function-size): the driver's own parameters
// Each first queues a delay, and then does what the driver's function of this name does.
#define SINTER_DELAYED(name, stream, parameters, arguments)            \
  extern "C" [[gnu::visibility("default")]] CUresult name parameters { \
    static const auto function = real<CUresult parameters>(#name);     \
    delay(stream);                                                     \
    return function arguments;                                         \
  }

SINTER_DELAYED(cuLaunchKernel, stream,
               (CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments,
                void** extra),
               (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments,
                extra))
SINTER_DELAYED(cuLaunchKernelEx, config->stream,
               (const CUlaunchConfig* config, CUfunction kernel, void** arguments, void** extra),
               (config, kernel, arguments, extra))
SINTER_DELAYED(cuMemcpyHtoDAsync_v2, stream,
               (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream),
               (to, from, bytes, stream))
SINTER_DELAYED(cuMemcpyDtoHAsync_v2, stream, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream),
               (to, from, bytes, stream))
SINTER_DELAYED(cuMemcpyDtoDAsync_v2, stream,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream),
               (to, from, bytes, stream))
SINTER_DELAYED(cuMemsetD8Async, stream,
               (CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream),
               (to, value, count, stream))
SINTER_DELAYED(cuMemsetD16Async, stream,
               (CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream),
               (to, value, count, stream))
SINTER_DELAYED(cuMemsetD32Async, stream, (CUdeviceptr to, unsigned value, std::size_t count, CUstream stream),
               (to, value, count, stream))

#undef SINTER_DELAYED
// NOLINTEND(readability-function-size)
