#pragma once
// Counts allocations of host memory in this program and in the libraries that it loads.

#include <cstddef>

namespace sinter_bench {

/// Calls of operator new, in all its forms, on this thread since it began.
std::size_t allocation_count();

}  // namespace sinter_bench
