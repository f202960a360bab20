#pragma once
// Ranges of NVTX, which profilers show beside kernels.

namespace sinter::inline v0::runtime {

/// Whether a profiler has asked for NVTX in the environment, and this build has its headers.
bool nvtx_is_heard();

/// Begins a range of the calling thread in the domain "sinter". The name is copied.
void begin_nvtx_range(const char* name);
/// Ends the thread's latest range.
void end_nvtx_range();

}  // namespace sinter::inline v0::runtime
