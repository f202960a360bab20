#pragma once
// What the lowering pass is told of a device.

#include <sinter/codegen/target/target.hpp>
#include <sinter/runtime/device.hpp>

namespace sinter::runtime {

/// The facts of a device: asked once, then a look into a table. Throws device_error where there is no such
/// device.
const target_facts& facts_of(device where);

/// Threads that run CPU kernels: the processors that the process may use, or fewer if $SINTER_THREADS says
/// so. An arena of the caller's may lend fewer still.
unsigned host_threads();

}  // namespace sinter::runtime
