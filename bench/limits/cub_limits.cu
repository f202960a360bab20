// CUB's full sum and sort, compiled ahead. The benchmarks must build without nvcc, so this is a shared
// library of its own, which cub_limits.cpp opens where it was built.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include <cstddef>

/// Calls cub::DeviceReduce::Sum: without temporary storage it only returns how much it needs. Returns a
/// cudaError_t.
extern "C" __attribute__((visibility("default"))) int sinter_cub_sum(void* temporary,
                                                                     std::size_t* temporary_bytes,
                                                                     const float* from, float* to, int count,
                                                                     void* stream) {
  return static_cast<int>(cub::DeviceReduce::Sum(temporary, *temporary_bytes, from, to, count,
                                                 static_cast<cudaStream_t>(stream)));
}

/// Calls cub::DeviceRadixSort::SortKeys in the same way.
extern "C" __attribute__((visibility("default"))) int sinter_cub_sort(void* temporary,
                                                                      std::size_t* temporary_bytes,
                                                                      const float* from, float* to, int count,
                                                                      void* stream) {
  return static_cast<int>(cub::DeviceRadixSort::SortKeys(temporary, *temporary_bytes, from, to, count, 0, 32,
                                                         static_cast<cudaStream_t>(stream)));
}
