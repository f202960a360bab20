// What CUB does with a full sum, compiled ahead: the library itself needs no nvcc, so this is an object of
// its own that cub_limits.cpp opens where it was built.

#include <cub/device/device_reduce.cuh>

#include <cstddef>

/// cub::DeviceReduce::Sum as it stands: without temporary storage it only tells how much it needs. Answers a
/// cudaError_t.
extern "C" __attribute__((visibility("default"))) int sinter_cub_sum(void* temporary,
                                                                     std::size_t* temporary_bytes,
                                                                     const float* from, float* to, int count,
                                                                     void* stream) {
  return static_cast<int>(cub::DeviceReduce::Sum(temporary, *temporary_bytes, from, to, count,
                                                 static_cast<cudaStream_t>(stream)));
}
