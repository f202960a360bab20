#pragma once

#include <cstddef>
#include <string>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::runtime {

/// What the driver says of one device; read once.
struct cuda_device_facts {
  int ordinal = 0;
  std::string name;
  int capability_major = 0;
  int capability_minor = 0;
  int multiprocessors = 0;
  int warp_size = 32;
  int max_threads_per_block = 0;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  int max_grid_x = 0;
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;  ///< without asking for more
  std::size_t shared_bytes_per_block_opt_in =
      0;  ///< when the kernel asks, see cuda_module::allow_shared_memory
  std::size_t shared_bytes_reserved_per_block = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  bool memory_pools = false;
  bool cluster_launch = false;
  bool cooperative_launch = false;

  /// The architecture to compile for: 90 for compute capability 9.0.
  int architecture() const noexcept { return capability_major * 10 + capability_minor; }
};

/// How many CUDA devices can be used; 0 without a driver.
int cuda_device_count() noexcept;

/// The facts of a device; throws device_error that says what exists when there is no such device.
const cuda_device_facts& cuda_device(int ordinal);

/// A device's primary context, which is the one CUDA's runtime and other libraries use. Retained on first use
/// and never released: at the end of a process the driver may be gone before the last user here is.
CUcontext primary_context(int ordinal);

/// The context work on this stream belongs to. A stream's own is asked of the stream; the default streams
/// belong to the current context if that is one of the device, else to the device's primary context.
CUcontext context_of(CUstream stream, int ordinal);

/// The device of a context.
int device_of(CUcontext context);

/// Makes a context current for a scope. Costs one cuCtxGetCurrent when it is current already, as it mostly
/// is.
class context_guard {
 public:
  explicit context_guard(CUcontext context);
  context_guard(CUstream stream, int ordinal) : context_guard(context_of(stream, ordinal)) {}
  context_guard(const context_guard&) = delete;
  context_guard& operator=(const context_guard&) = delete;
  ~context_guard();

  CUcontext context() const noexcept { return context_; }

 private:
  CUcontext context_;
  bool pushed_ = false;
};

}  // namespace sinter::runtime
