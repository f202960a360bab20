#pragma once
// How much memory Sinter uses, and giving back what it retains.
//
// Threads: any thread may call these at any time.
// Throws: device_error for a device that does not exist, or where the driver refuses.
// After a failure: nothing is lost: memory that was not given back is retained.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>

#include <cstddef>

namespace sinter::inline v0 {

/// The memory of one device, in bytes. Memory that was taken over from another library does not count.
struct memory_statistics {
  std::size_t in_use = 0;  ///< of arrays, results and workspaces, from whichever resource
  std::size_t peak = 0;    ///< the most that was in use; on the CPU up to 2 MiB may be missing
  std::size_t waiting =
      0;  ///< part of in_use: arrays are gone, but a stream that uses them is being captured
  std::size_t allocations = 0;  ///< how many there were
  std::size_t retained = 0;     ///< freed, and kept by Sinter's own memory for what comes next
  /// What Sinter's own pool on a GPU has taken from the system, with what is in use: now and at most. On the
  /// CPU, 0.
  std::size_t reserved = 0, peak_reserved = 0;
};

/// Costs a microsecond and stops nobody: while other threads allocate, the numbers are of no single moment.
/// Throws device_error for a device that does not exist.
SINTER_API memory_statistics memory_stats(device where);

/// Gives memory that is retained and unused back to the system, and returns how many bytes. What work on a
/// stream still uses stays: synchronize() first to give back all. Costs a system call for each block on the
/// CPU, up to milliseconds on a GPU, and the next allocations are as slow as the first. Harmless while a
/// stream is captured.
SINTER_API std::size_t trim_memory(device where);

}  // namespace sinter::inline v0
