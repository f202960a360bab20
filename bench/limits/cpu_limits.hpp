#pragma once
// Copies of host memory as sides of a comparison, and whether there is a compiler for the CPU.

#include "../comparison.hpp"

namespace sinter_bench {

/// Whether the CPU compiler's library can be opened; opens it.
bool has_cpu_compiler();

/// A copy with streaming stores on all threads that moves about `traffic` bytes, read and written together.
side cpu_copy(double traffic);
/// 2^25 floats, or fewer where the settings shrink everything.
side large_cpu_copy();
/// The same with the C library's memcpy.
side cpu_memcpy();

}  // namespace sinter_bench
