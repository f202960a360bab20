#pragma once

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/driver.hpp>

namespace sinter::inline v0::runtime {

/// The launch configuration of a kernel.
struct launch_shape {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;  ///< dynamic
  unsigned cluster_x = 1;     ///< blocks along x that share memory
  bool begins_early = false;  ///< may start before the previous kernel is done, and waits for it
  bool cooperative = false;   ///< all blocks run at once, so that the grid can synchronise
};

/// Queues a kernel that cuda_module::kernel() has prepared. The context is the stream's; for a default stream
/// it must be current. Allocates nothing and takes no lock.
inline void launch_kernel(const driver_api& api, CUkernel kernel, const launch_shape& shape, CUstream stream,
                          void** arguments, const char* name) {
  const CUfunction function = reinterpret_cast<CUfunction>(kernel);
  if (shape.cluster_x == 1 && !shape.cooperative && !shape.begins_early) [[likely]] {
    check(api.cuLaunchKernel(function, shape.grid_x, shape.grid_y, shape.grid_z, shape.block_x, shape.block_y,
                             shape.block_z, shape.shared_bytes, stream, arguments, nullptr),
          "launching a kernel", name);
    return;
  }
  CUlaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (shape.cluster_x != 1) {
    attributes[count].id = CUlaunchAttributeID::cluster_dimension;
    attributes[count++].value.cluster_dimension = {shape.cluster_x, 1, 1};
  }
  if (shape.cooperative) {
    attributes[count].id = CUlaunchAttributeID::cooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (shape.begins_early) {
    attributes[count].id = CUlaunchAttributeID::programmatic_stream_serialization;
    attributes[count++].value.programmatic_stream_serialization_allowed = 1;
  }
  const CUlaunchConfig config{shape.grid_x,  shape.grid_y,       shape.grid_z, shape.block_x, shape.block_y,
                              shape.block_z, shape.shared_bytes, stream,       attributes,    count};
  check(api.cuLaunchKernelEx(&config, function, arguments, nullptr), "launching a kernel", name);
}

}  // namespace sinter::inline v0::runtime
