// Compares Sinter's declarations of the driver, NVRTC and nvJitLink with the toolkit's headers, if those are
// installed.
#include <doctest/doctest.h>

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)

#include <cstddef>
#include <type_traits>

// Before cuda.h, whose macros rename functions.
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#include <cuda.h>
#include <nvrtc.h>
#if __has_include(<nvJitLink.h>)
#include <nvJitLink.h>
#endif

namespace ours = sinter::runtime;

namespace {

// Two types that a call passes in the same way: the same type, both addresses, or integers and enumerations
// of one size.
template <class A, class B>
constexpr bool passed_alike = std::is_same_v<A, B> || (std::is_pointer_v<A> && std::is_pointer_v<B>) ||
                              ((std::is_integral_v<A> || std::is_enum_v<A>) &&
                               (std::is_integral_v<B> || std::is_enum_v<B>) && sizeof(A) == sizeof(B));

template <class A, class B>
struct called_alike : std::false_type {};
template <class AnswerA, class... As, class AnswerB, class... Bs>
  requires(sizeof...(As) == sizeof...(Bs))
struct called_alike<AnswerA (*)(As...), AnswerB (*)(Bs...)>
    : std::bool_constant<passed_alike<AnswerA, AnswerB> && (passed_alike<As, Bs> && ...)> {};

#define SINTER_ROW(need, name, parameters) \
  static_assert(called_alike<decltype(ours::driver_api::name), decltype(&::name)>::value, #name);
SINTER_DRIVER_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
#define SINTER_ROW(need, answer, name, parameters) \
  static_assert(called_alike<decltype(ours::nvrtc_api::name), decltype(&::name)>::value, #name);
SINTER_NVRTC_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
#ifdef nvJitLink_INCLUDED
#define SINTER_ROW(name, parameters)                                                                     \
  static_assert(                                                                                         \
      called_alike<decltype(ours::nvjitlink_api::nvJitLink##name), decltype(&::nvJitLink##name)>::value, \
      #name);
SINTER_NVJITLINK_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
static_assert(std::is_same_v<ours::nvJitLinkHandle, ::nvJitLinkHandle>);
#endif

// Handles are the same types; constants have the same values.
static_assert(std::is_same_v<ours::CUdevice, ::CUdevice> && std::is_same_v<ours::CUdeviceptr, ::CUdeviceptr>);
static_assert(std::is_same_v<ours::CUcontext, ::CUcontext> && std::is_same_v<ours::CUstream, ::CUstream>);
static_assert(std::is_same_v<ours::CUevent, ::CUevent> && std::is_same_v<ours::CUlibrary, ::CUlibrary>);
static_assert(std::is_same_v<ours::CUkernel, ::CUkernel> && std::is_same_v<ours::CUfunction, ::CUfunction>);
static_assert(std::is_same_v<ours::CUgraph, ::CUgraph> && std::is_same_v<ours::CUgraphExec, ::CUgraphExec>);
static_assert(std::is_same_v<ours::CUmemoryPool, ::CUmemoryPool>);
static_assert(std::is_same_v<ours::nvrtcProgram, ::nvrtcProgram>);

#define SAME(type, name, theirs) static_assert(static_cast<int>(ours::type::name) == static_cast<int>(theirs))
SAME(CUresult, success, CUDA_SUCCESS);
SAME(CUresult, invalid_value, CUDA_ERROR_INVALID_VALUE);
SAME(CUresult, out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUresult, not_initialized, CUDA_ERROR_NOT_INITIALIZED);
SAME(CUresult, deinitialized, CUDA_ERROR_DEINITIALIZED);
SAME(CUresult, no_device, CUDA_ERROR_NO_DEVICE);
SAME(CUresult, invalid_device, CUDA_ERROR_INVALID_DEVICE);
SAME(CUresult, invalid_image, CUDA_ERROR_INVALID_IMAGE);
SAME(CUresult, invalid_context, CUDA_ERROR_INVALID_CONTEXT);
SAME(CUresult, no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(CUresult, ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(CUresult, invalid_ptx, CUDA_ERROR_INVALID_PTX);
SAME(CUresult, nvlink_uncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME(CUresult, jit_compiler_not_found, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME(CUresult, jit_compilation_disabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
SAME(CUresult, unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(CUresult, invalid_source, CUDA_ERROR_INVALID_SOURCE);
SAME(CUresult, shared_object_symbol_not_found, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND);
SAME(CUresult, invalid_handle, CUDA_ERROR_INVALID_HANDLE);
SAME(CUresult, not_found, CUDA_ERROR_NOT_FOUND);
SAME(CUresult, not_ready, CUDA_ERROR_NOT_READY);
SAME(CUresult, illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(CUresult, launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(CUresult, launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(CUresult, context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(CUresult, device_assert, CUDA_ERROR_ASSERT);
SAME(CUresult, hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(CUresult, illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME(CUresult, misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME(CUresult, invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME(CUresult, invalid_pc, CUDA_ERROR_INVALID_PC);
SAME(CUresult, launch_failed, CUDA_ERROR_LAUNCH_FAILED);
SAME(CUresult, cooperative_launch_too_large, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
SAME(CUresult, not_permitted, CUDA_ERROR_NOT_PERMITTED);
SAME(CUresult, not_supported, CUDA_ERROR_NOT_SUPPORTED);
SAME(CUresult, system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME(CUresult, stream_capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(CUresult, stream_capture_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME(CUresult, stream_capture_implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
SAME(CUresult, external_device, CUDA_ERROR_EXTERNAL_DEVICE);
SAME(CUresult, invalid_cluster_size, CUDA_ERROR_INVALID_CLUSTER_SIZE);
SAME(CUresult, unknown, CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 12080
SAME(CUresult, contained, CUDA_ERROR_CONTAINED);
#endif

SAME(CUdevice_attribute, max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CUdevice_attribute, max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME(CUdevice_attribute, max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(CUdevice_attribute, warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(CUdevice_attribute, multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CUdevice_attribute, l2_cache_size, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(CUdevice_attribute, max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(CUdevice_attribute, compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CUdevice_attribute, compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CUdevice_attribute, max_shared_memory_per_multiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(CUdevice_attribute, max_registers_per_multiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(CUdevice_attribute, cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
SAME(CUdevice_attribute, max_shared_memory_per_block_optin,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(CUdevice_attribute, max_blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME(CUdevice_attribute, reserved_shared_memory_per_block,
     CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
SAME(CUdevice_attribute, memory_pools_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(CUdevice_attribute, cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

SAME(CUfunction_attribute, max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CUfunction_attribute, shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(CUfunction_attribute, const_size_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(CUfunction_attribute, local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(CUfunction_attribute, num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(CUfunction_attribute, binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(CUfunction_attribute, max_dynamic_shared_size_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CUfunction_attribute, preferred_shared_memory_carveout,
     CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(CUfunction_attribute, non_portable_cluster_size_allowed,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

SAME(CUpointer_attribute, context, CU_POINTER_ATTRIBUTE_CONTEXT);
SAME(CUpointer_attribute, memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(CUpointer_attribute, is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED);
SAME(CUpointer_attribute, device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(CUmemorytype, host, CU_MEMORYTYPE_HOST);
SAME(CUmemorytype, device, CU_MEMORYTYPE_DEVICE);
SAME(CUmemorytype, unified, CU_MEMORYTYPE_UNIFIED);
SAME(CUmemPool_attribute, release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CUmemPool_attribute, reserved_mem_current, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME(CUmemPool_attribute, reserved_mem_high, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
SAME(CUmemPool_attribute, used_mem_current, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
SAME(CUstreamCaptureStatus, none, CU_STREAM_CAPTURE_STATUS_NONE);
SAME(CUstreamCaptureStatus, active, CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME(CUstreamCaptureStatus, invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(CUstreamCaptureMode, global, CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME(CUstreamCaptureMode, thread_local_mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(CUstreamCaptureMode, relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(CUlaunchAttributeID, ignore, CU_LAUNCH_ATTRIBUTE_IGNORE);
SAME(CUlaunchAttributeID, cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(CUlaunchAttributeID, cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(nvrtcResult, success, NVRTC_SUCCESS);
SAME(nvrtcResult, out_of_memory, NVRTC_ERROR_OUT_OF_MEMORY);
SAME(nvrtcResult, program_creation_failure, NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
SAME(nvrtcResult, invalid_option, NVRTC_ERROR_INVALID_OPTION);
SAME(nvrtcResult, compilation, NVRTC_ERROR_COMPILATION);
SAME(nvrtcResult, internal_error, NVRTC_ERROR_INTERNAL_ERROR);
#ifdef nvJitLink_INCLUDED
SAME(nvJitLinkResult, success, NVJITLINK_SUCCESS);
SAME(nvJitLinkResult, unrecognized_option, NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
SAME(nvJitLinkResult, ptx_compile, NVJITLINK_ERROR_PTX_COMPILE);
SAME(nvJitLinkResult, nvvm_compile, NVJITLINK_ERROR_NVVM_COMPILE);
SAME(nvJitLinkResult, internal, NVJITLINK_ERROR_INTERNAL);
SAME(nvJitLinkResult, unrecognized_arch, NVJITLINK_ERROR_UNRECOGNIZED_ARCH);
SAME(nvJitLinkResult, unsupported_arch, NVJITLINK_ERROR_UNSUPPORTED_ARCH);
SAME(nvJitLinkInputType, cubin, NVJITLINK_INPUT_CUBIN);
SAME(nvJitLinkInputType, ptx, NVJITLINK_INPUT_PTX);
SAME(nvJitLinkInputType, lto_ir, NVJITLINK_INPUT_LTOIR);
SAME(nvJitLinkInputType, fatbin, NVJITLINK_INPUT_FATBIN);
SAME(nvJitLinkInputType, object, NVJITLINK_INPUT_OBJECT);
SAME(nvJitLinkInputType, library, NVJITLINK_INPUT_LIBRARY);
#endif
#undef SAME

static_assert(ours::stream_flag_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(ours::event_flag_blocking_sync == CU_EVENT_BLOCKING_SYNC);
static_assert(ours::event_flag_disable_timing == CU_EVENT_DISABLE_TIMING);
static_assert(ours::user_object_no_destructor_sync == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
static_assert(ours::graph_user_object_move == CU_GRAPH_USER_OBJECT_MOVE);
static_assert(ours::host_memory_flag_portable == CU_MEMHOSTALLOC_PORTABLE);

// Structures have the same layout.
#define AT(ours_type, ours_member, their_type, their_member) \
  static_assert(offsetof(ours::ours_type, ours_member) == offsetof(::their_type, their_member))
static_assert(sizeof(ours::CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(sizeof(ours::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(sizeof(ours::CUmemPoolProps) == sizeof(::CUmemPoolProps));
static_assert(sizeof(ours::CUDA_KERNEL_NODE_PARAMS) == sizeof(::CUDA_KERNEL_NODE_PARAMS));
AT(CUDA_KERNEL_NODE_PARAMS, grid_x, CUDA_KERNEL_NODE_PARAMS, gridDimX);
AT(CUDA_KERNEL_NODE_PARAMS, block_z, CUDA_KERNEL_NODE_PARAMS, blockDimZ);
AT(CUDA_KERNEL_NODE_PARAMS, shared_bytes, CUDA_KERNEL_NODE_PARAMS, sharedMemBytes);
AT(CUDA_KERNEL_NODE_PARAMS, arguments, CUDA_KERNEL_NODE_PARAMS, kernelParams);
AT(CUDA_KERNEL_NODE_PARAMS, kernel, CUDA_KERNEL_NODE_PARAMS, kern);
AT(CUDA_KERNEL_NODE_PARAMS, context, CUDA_KERNEL_NODE_PARAMS, ctx);
static_assert(sizeof(ours::CUgraphEdgeData) == sizeof(::CUgraphEdgeData));
AT(CUgraphEdgeData, type, CUgraphEdgeData, type);
static_assert(ours::programmatic_edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
static_assert(ours::programmatic_edge.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
AT(CUmemPoolProps, location, CUmemPoolProps, location);
AT(CUmemPoolProps, max_bytes, CUmemPoolProps, maxSize);
AT(CUmemPoolProps, reserved, CUmemPoolProps, reserved);
static_assert(ours::CUmemPoolProps{}.allocation_type == CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(ours::CUmemPoolProps{}.handle_types == CU_MEM_HANDLE_TYPE_NONE);
static_assert(ours::CUmemPoolProps{}.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(sizeof(ours::CUlaunchAttributeValue) == sizeof(::CUlaunchAttributeValue));
AT(CUlaunchConfig, grid_x, CUlaunchConfig, gridDimX);
AT(CUlaunchConfig, grid_z, CUlaunchConfig, gridDimZ);
AT(CUlaunchConfig, block_x, CUlaunchConfig, blockDimX);
AT(CUlaunchConfig, block_z, CUlaunchConfig, blockDimZ);
AT(CUlaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
AT(CUlaunchConfig, stream, CUlaunchConfig, hStream);
AT(CUlaunchConfig, attributes, CUlaunchConfig, attrs);
AT(CUlaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
AT(CUlaunchAttribute, id, CUlaunchAttribute, id);
AT(CUlaunchAttribute, value, CUlaunchAttribute, value);
static_assert(alignof(ours::CUlaunchAttribute) == alignof(::CUlaunchAttribute));

}  // namespace

TEST_CASE("cuda: the declarations match the toolkit's headers") {
  CHECK(ours::legacy_default_stream() == CU_STREAM_LEGACY);
  CHECK(ours::per_thread_default_stream() == CU_STREAM_PER_THREAD);
}

#else

#include "../support/needs.hpp"

TEST_CASE("cuda: the declarations match the toolkit's headers") {
  sinter::test::lacks(sinter::test::need::cuda_headers, "the build found no CUDA toolkit to compare with");
}

#endif
