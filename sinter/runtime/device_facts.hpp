#pragma once
// The device properties that the lowering pass reads.
//
// Threads: any thread may call these at any time; references stay valid.
// Throws: device_error from facts_of() for a device that does not exist.
// After a failure: nothing has changed.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/target/target.hpp>
#include <sinter/runtime/device.hpp>

namespace sinter::inline v0::runtime {

/// The properties of a device. Queried once, then read from a table. Throws device_error if there is no such
/// device.
SINTER_API const target_facts& facts_of(device where);

/// The number of threads that run CPU kernels: the processors available to the process, or fewer if
/// $SINTER_THREADS says so. The caller's oneTBB arena may have fewer still.
SINTER_API unsigned cpu_threads();

}  // namespace sinter::inline v0::runtime
