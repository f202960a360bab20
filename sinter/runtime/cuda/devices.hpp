#pragma once

#include <cstddef>
#include <string>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::inline v0::runtime {

/// The properties of one device, read once from the driver.
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
  std::size_t shared_bytes_per_block = 0;  ///< the limit without a request
  std::size_t shared_bytes_per_block_opt_in =
      0;  ///< the limit with a request, see cuda_module::allow_shared_memory
  std::size_t shared_bytes_reserved_per_block = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  bool memory_pools = false;
  bool cluster_launch = false;
  bool cooperative_launch = false;

  /// The architecture to compile for: 90 for compute capability 9.0.
  int architecture() const noexcept { return capability_major * 10 + capability_minor; }
};

/// The number of usable CUDA devices; 0 without a driver.
int cuda_device_count() noexcept;

/// The properties of a device. Throws device_error that lists the existing devices if there is no such
/// device.
const cuda_device_facts& cuda_device(int ordinal);

/// A device's primary context, which the CUDA runtime and other libraries use. Retained on first use and
/// never released: at the end of a process the driver may unload before the last user in this library.
CUcontext primary_context(int ordinal);

/// The context of the work on this stream. An ordinary stream has a context of its own; the default streams
/// belong to the current context if that is a context of the device, else to the device's primary context.
CUcontext context_of(CUstream stream, int ordinal);

/// The device of a context.
int device_of(CUcontext context);

/// The same for a default stream where the current context is known; nullptr: there is none.
CUcontext context_of_default_stream(CUcontext current, int ordinal);

/// Makes a context current for a scope. Usually it is current already, which costs one cuCtxGetCurrent.
class context_guard {
 public:
  explicit context_guard(CUcontext context);
  context_guard(CUstream stream, int ordinal) : context_guard(context_of(stream, ordinal)) {}
  /// Where the current context is known, so that nothing asks for it again.
  context_guard(CUcontext context, CUcontext current);
  context_guard(const context_guard&) = delete;
  context_guard& operator=(const context_guard&) = delete;
  ~context_guard();

  CUcontext context() const noexcept { return context_; }

 private:
  CUcontext context_;
  bool pushed_ = false;
};

}  // namespace sinter::inline v0::runtime
