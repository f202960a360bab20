#pragma once

#include <cstddef>

// The parts of the CUDA driver's ABI that Sinter relies on, so that it builds without a toolkit.
// tests/cuda/cuda_abi_test.cpp compares each of them with the real headers if those are present. The handle
// structs are global and have CUDA's own names, so that a caller's CUstream or cudaStream_t is the same type
// as Sinter's.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUlib_st;
struct CUkern_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUuserObject_st;
struct CUmemPoolHandle_st;

namespace sinter::inline v0::runtime {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;
using CUevent = CUevent_st*;
using CUlibrary = CUlib_st*;
using CUkernel = CUkern_st*;
using CUfunction = CUfunc_st*;
using CUgraph = CUgraph_st*;
using CUgraphExec = CUgraphExec_st*;
using CUgraphNode = CUgraphNode_st*;
using CUuserObject = CUuserObject_st*;
using CUhostFn = void (*)(void* data);
using CUmemoryPool = CUmemPoolHandle_st*;

/// The driver's error codes that Sinter distinguishes. Others pass through as numbers.
enum class CUresult : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
  contained = 226,
  invalid_source = 300,
  shared_object_symbol_not_found = 302,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  context_is_destroyed = 709,
  device_assert = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  system_driver_mismatch = 803,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_implicit = 906,
  external_device = 911,
  invalid_cluster_size = 912,
  unknown = 999,
};

/// Attributes of a device.
enum class CUdevice_attribute : int {
  max_threads_per_block = 1,
  max_grid_dim_x = 5,
  max_shared_memory_per_block = 8,
  warp_size = 10,
  multiprocessor_count = 16,
  l2_cache_size = 38,
  max_threads_per_multiprocessor = 39,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_multiprocessor = 81,
  max_registers_per_multiprocessor = 82,
  cooperative_launch = 95,
  max_shared_memory_per_block_optin = 97,
  max_blocks_per_multiprocessor = 106,
  reserved_shared_memory_per_block = 111,
  memory_pools_supported = 115,
  cluster_launch = 120,
};

/// Attributes of a loaded kernel that can be read and set.
enum class CUfunction_attribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  const_size_bytes = 2,
  local_size_bytes = 3,
  num_regs = 4,
  binary_version = 6,
  max_dynamic_shared_size_bytes = 8,
  preferred_shared_memory_carveout = 9,
  non_portable_cluster_size_allowed = 14,
};

/// Attributes of an address.
enum class CUpointer_attribute : int {
  context = 1,
  memory_type = 2,
  is_managed = 8,
  device_ordinal = 9,
};

/// The kind of memory at an address, the value of CUpointer_attribute::memory_type.
enum class CUmemorytype : int { host = 1, device = 2, array = 3, unified = 4 };

enum class CUmemPool_attribute : int {
  release_threshold = 4,
  reserved_mem_current = 5,
  reserved_mem_high = 6,
  used_mem_current = 7
};

/// The memory of a pool: pinned memory of one device, not shared with other processes.
struct CUmemPoolProps {
  int allocation_type = 1;
  int handle_types = 0;
  struct {
    int type = 1;
    int id = 0;
  } location;
  void* security_attributes = nullptr;
  std::size_t max_bytes = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

enum class CUstreamCaptureStatus : int { none = 0, active = 1, invalidated = 2 };

enum class CUstreamCaptureMode : int { global = 0, thread_local_mode = 1, relaxed = 2 };

enum class CUlaunchAttributeID : int {
  ignore = 0,
  cooperative = 2,
  cluster_dimension = 4,
  programmatic_stream_serialization = 6
};

/// The value of a launch attribute: a union of 64 bytes, of which Sinter uses these; others hold pointers.
union alignas(8) CUlaunchAttributeValue {
  char padding[64];
  int cooperative;
  int programmatic_stream_serialization_allowed;
  struct {
    unsigned x, y, z;
  } cluster_dimension;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char padding[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
};

struct CUlaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  CUstream stream;
  CUlaunchAttribute* attributes;
  unsigned attribute_count;
};

/// A kernel of a graph: what cuLaunchKernel is given. `kernel` is looked at if there is no function.
struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  CUkernel kernel;
  CUcontext context;
};

/// What an edge of a graph waits for: by default the end of the node that it comes from.
struct CUgraphEdgeData {
  unsigned char from_port = 0, to_port = 0, type = 0;
  unsigned char reserved[5] = {};
};
/// The kernel at its end may begin when all blocks of the other have allowed it or are done.
inline constexpr CUgraphEdgeData programmatic_edge{1, 0, 1};

// Flags of functions that take plain integers.
inline constexpr unsigned stream_flag_non_blocking = 1;
inline constexpr unsigned event_flag_blocking_sync = 1;
inline constexpr unsigned event_flag_disable_timing = 2;
inline constexpr unsigned user_object_no_destructor_sync = 1;
inline constexpr unsigned graph_user_object_move = 1;
inline constexpr unsigned host_memory_flag_portable = 1;

// The two stream handles that are numbers. They refer to streams of the current context.
inline CUstream legacy_default_stream() noexcept { return reinterpret_cast<CUstream>(std::size_t{1}); }
inline CUstream per_thread_default_stream() noexcept { return reinterpret_cast<CUstream>(std::size_t{2}); }

}  // namespace sinter::inline v0::runtime
