#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::inline v0::runtime {

#if defined(CUDA_VERSION) && defined(cuEventElapsedTime)
#error "include sinter/runtime/cuda/driver.hpp before cuda.h, whose macros rename the functions listed here"
#endif

// Every driver function that Sinter may call: whether it is required, its exact symbol with its version
// suffix, and its parameters. The table and its loader are generated from this list.
// clang-format off
#define SINTER_DRIVER_FUNCTIONS(row)                                                                         \
  row(essential, cuInit, (unsigned flags))                                                                   \
  row(essential, cuDriverGetVersion, (int* version))                                                         \
  row(essential, cuGetErrorName, (CUresult error, const char** text))                                        \
  row(essential, cuGetErrorString, (CUresult error, const char** text))                                      \
  row(essential, cuDeviceGetCount, (int* count))                                                             \
  row(essential, cuDeviceGet, (CUdevice* device, int ordinal))                                               \
  row(essential, cuDeviceGetName, (char* name, int length, CUdevice device))                                 \
  row(essential, cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))          \
  row(essential, cuDeviceTotalMem_v2, (std::size_t* bytes, CUdevice device))                                 \
  row(essential, cuDevicePrimaryCtxRetain, (CUcontext* context, CUdevice device))                            \
  row(essential, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                            \
  row(essential, cuCtxGetCurrent, (CUcontext* context))                                                      \
  row(essential, cuCtxSetCurrent, (CUcontext context))                                                       \
  row(essential, cuCtxPushCurrent_v2, (CUcontext context))                                                   \
  row(essential, cuCtxPopCurrent_v2, (CUcontext* context))                                                   \
  row(essential, cuCtxGetDevice, (CUdevice* device))                                                         \
  row(essential, cuCtxSynchronize, ())                                                                       \
  row(essential, cuStreamCreate, (CUstream* stream, unsigned flags))                                         \
  row(essential, cuStreamDestroy_v2, (CUstream stream))                                                      \
  row(essential, cuStreamGetCtx, (CUstream stream, CUcontext* context))                                      \
  row(essential, cuStreamSynchronize, (CUstream stream))                                                     \
  row(essential, cuStreamQuery, (CUstream stream))                                                           \
  row(essential, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                        \
  row(essential, cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus* status))                      \
  row(essential, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                       \
  row(essential, cuStreamEndCapture, (CUstream stream, CUgraph* graph))                                      \
  row(essential, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode* mode))                             \
  row(optional, cuStreamGetCaptureInfo_v3, (CUstream stream, CUstreamCaptureStatus* status,                  \
                                            unsigned long long* number, CUgraph* graph,                      \
                                            const CUgraphNode** dependencies, const CUgraphEdgeData** edges, \
                                            std::size_t* count))                                             \
  row(optional, cuUserObjectCreate, (CUuserObject* object, void* kept, CUhostFn destroy, unsigned count,     \
                                     unsigned flags))                                                        \
  row(optional, cuUserObjectRelease, (CUuserObject object, unsigned count))                                  \
  row(optional, cuGraphRetainUserObject, (CUgraph graph, CUuserObject object, unsigned count,                \
                                          unsigned flags))                                                   \
  row(optional, cuGraphInstantiateWithFlags, (CUgraphExec* exec, CUgraph graph, unsigned long long flags))   \
  row(optional, cuGraphCreate, (CUgraph* graph, unsigned flags))                                             \
  row(optional, cuGraphAddKernelNode_v2, (CUgraphNode* node, CUgraph graph, const CUgraphNode* after,        \
                                          std::size_t count, const CUDA_KERNEL_NODE_PARAMS* launch))         \
  row(optional, cuGraphAddChildGraphNode, (CUgraphNode* node, CUgraph graph, const CUgraphNode* after,       \
                                           std::size_t count, CUgraph child))                                \
  row(optional, cuGraphAddDependencies_v2, (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,   \
                                            const CUgraphEdgeData* edges, std::size_t count))                \
  row(optional, cuGraphExecKernelNodeSetParams_v2, (CUgraphExec exec, CUgraphNode node,                      \
                                                    const CUDA_KERNEL_NODE_PARAMS* launch))                  \
  row(optional, cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                          \
  row(optional, cuGraphExecDestroy, (CUgraphExec exec))                                                      \
  row(optional, cuGraphDestroy, (CUgraph graph))                                                             \
  row(essential, cuEventCreate, (CUevent* event, unsigned flags))                                            \
  row(essential, cuEventDestroy_v2, (CUevent event))                                                         \
  row(essential, cuEventRecord, (CUevent event, CUstream stream))                                            \
  row(essential, cuEventQuery, (CUevent event))                                                              \
  row(essential, cuEventSynchronize, (CUevent event))                                                        \
  row(essential, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))                      \
  row(optional, cuEventElapsedTime_v2, (float* milliseconds, CUevent start, CUevent end))                    \
  row(essential, cuMemGetInfo_v2, (std::size_t* free, std::size_t* total))                                   \
  row(essential, cuMemAlloc_v2, (CUdeviceptr* pointer, std::size_t bytes))                                   \
  row(essential, cuMemFree_v2, (CUdeviceptr pointer))                                                        \
  row(essential, cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream))                                     \
  row(essential, cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned flags))                        \
  row(essential, cuMemFreeHost, (void* pointer))                                                             \
  row(essential, cuMemAllocFromPoolAsync, (CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool,       \
                                           CUstream stream))                                                 \
  row(essential, cuMemPoolCreate, (CUmemoryPool* pool, const CUmemPoolProps* properties))                    \
  row(essential, cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))     \
  row(essential, cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))     \
  row(essential, cuMemPoolTrimTo, (CUmemoryPool pool, std::size_t bytes_to_keep))                            \
  row(essential, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, std::size_t bytes, CUstream on)) \
  row(essential, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))     \
  row(essential, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream on)) \
  row(essential, cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from,                 \
                                     CUcontext from_context, std::size_t bytes, CUstream stream))            \
  row(essential, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream)) \
  row(essential, cuMemsetD16Async, (CUdeviceptr to, unsigned short value, std::size_t count, CUstream on)) \
  row(essential, cuMemsetD32Async, (CUdeviceptr to, unsigned value, std::size_t count, CUstream stream))     \
  row(essential, cuPointerGetAttribute, (void* value, CUpointer_attribute attribute, CUdeviceptr pointer))   \
  row(essential, cuPointerGetAttributes, (unsigned count, CUpointer_attribute* attributes, void** values,    \
                                          CUdeviceptr pointer))                                              \
  row(essential, cuLibraryLoadData, (CUlibrary* library, const void* code, void* jit_options,                \
                                     void** jit_values, unsigned jit_count, void* options, void** values,    \
                                     unsigned count))                                                        \
  row(essential, cuLibraryUnload, (CUlibrary library))                                                       \
  row(essential, cuLibraryGetKernel, (CUkernel* kernel, CUlibrary library, const char* name))                \
  row(essential, cuKernelGetFunction, (CUfunction* function, CUkernel kernel))                               \
  row(essential, cuKernelGetAttribute, (int* value, CUfunction_attribute attribute, CUkernel kernel,         \
                                        CUdevice device))                                                    \
  row(essential, cuKernelSetAttribute, (CUfunction_attribute attribute, int value, CUkernel kernel,          \
                                        CUdevice device))                                                    \
  row(essential, cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function))      \
  row(essential, cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))       \
  row(essential, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, CUfunction function,             \
                                                               int threads, std::size_t shared_bytes))       \
  row(optional, cuOccupancyMaxActiveClusters, (int* clusters, CUfunction function,                           \
                                               const CUlaunchConfig* config))                                \
  row(essential, cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,    \
                                  unsigned block_x, unsigned block_y, unsigned block_z,                      \
                                  unsigned shared_bytes, CUstream stream, void** arguments, void** extra))   \
  row(essential, cuLaunchKernelEx, (const CUlaunchConfig* config, CUfunction function, void** arguments,     \
                                    void** extra))
// clang-format on

/// The driver's functions, under CUDA's own names. An optional function that the driver lacks is nullptr.
struct driver_api {
#define SINTER_ROW(need, name, parameters) CUresult(*name) parameters = nullptr;
  SINTER_DRIVER_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
  /// The CUDA version that the driver supports: 13000 is 13.0.
  int version = 0;
};

/// The oldest driver that works: CUDA 12.0 introduced libraries and kernels that need no context.
inline constexpr int min_driver_version = 12000;

/// The driver's functions, or nullptr without a usable driver or device. The first use opens the driver from
/// $SINTER_CUDA_DRIVER if set, else libcuda.so.1; it is never linked. Safe from any thread; later calls cost
/// one load.
const driver_api* driver() noexcept;

/// The reason why `driver()` returns nullptr, and what to install; empty otherwise.
std::string driver_absence_reason();

/// The driver's functions; throws device_error with the reason if there are none.
const driver_api& require_driver();

/// Opens the first of the candidates as a driver, initialises it and fills the table. On failure `why`
/// receives the reason. The library stays open, because drivers have threads and exit handlers of their own.
bool load_driver(std::span<const std::string> candidates, driver_api& table, std::string& why);

/// The library names that `driver()` tries.
std::vector<std::string> driver_candidates();

/// Makes `driver()` return another table during its lifetime: for tests, which supply their own driver.
class driver_override {
 public:
  /// nullptr stands for an absent driver, with the given reason.
  explicit driver_override(const driver_api* table, std::string reason = {});
  driver_override(const driver_override&) = delete;
  driver_override& operator=(const driver_override&) = delete;
  ~driver_override();

 private:
  const driver_api* previous_;
  std::string previous_reason_;
};

}  // namespace sinter::inline v0::runtime
