#include "hand_written.hpp"

#include "cuda_limits.hpp"

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

namespace sinter_bench {

using namespace sinter::runtime;

const char* const softmax_4096_by_hand = R"(
__device__ __forceinline__ float larger(float x, float y) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
extern "C" __global__ void __launch_bounds__(256) softmax_by_hand(const float* __restrict__ from,
                                                                  float* __restrict__ to) {
  __shared__ float parts[2][8];
  const float4* in = reinterpret_cast<const float4*>(from + blockIdx.x * 4096ll);
  float4* out = reinterpret_cast<float4*>(to + blockIdx.x * 4096ll);
  float4 x[4];
#pragma unroll
  for (int s = 0; s < 4; ++s) x[s] = in[s * 256 + threadIdx.x];
  float most = x[0].x;
#pragma unroll
  for (int s = 0; s < 4; ++s)
    most = larger(most, larger(larger(x[s].x, x[s].y), larger(x[s].z, x[s].w)));
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    most = larger(most, __shfl_xor_sync(0xffffffffu, most, distance));
  if (threadIdx.x % 32 == 0) parts[0][threadIdx.x / 32] = most;
  __syncthreads();
  most = parts[0][0];
#pragma unroll
  for (int w = 1; w < 8; ++w) most = larger(most, parts[0][w]);
  float sum = 0;
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    x[s].x = expf(x[s].x - most);
    x[s].y = expf(x[s].y - most);
    x[s].z = expf(x[s].z - most);
    x[s].w = expf(x[s].w - most);
    sum += (x[s].x + x[s].y) + (x[s].z + x[s].w);
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) parts[1][threadIdx.x / 32] = sum;
  __syncthreads();
  sum = parts[1][0];
#pragma unroll
  for (int w = 1; w < 8; ++w) sum += parts[1][w];
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    x[s].x /= sum;
    x[s].y /= sum;
    x[s].z /= sum;
    x[s].w /= sum;
    out[s * 256 + threadIdx.x] = x[s];
  }
}
)";

namespace {

// The sum is stored only if it has one particular value, so that the compiler keeps the loads.
constexpr const char* read_text = R"(
extern "C" __global__ void __launch_bounds__(512) read_only(const float4* __restrict__ from, long long count,
                                                            float* to) {
  float sum = 0;
  for (long long i = blockIdx.x * 2048ll + threadIdx.x; i < count; i += gridDim.x * 2048ll) {
    float4 x[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) x[s] = __ldcs(from + i + s * 512);
#pragma unroll
    for (int s = 0; s < 4; ++s) sum += x[s].x + x[s].y + x[s].z + x[s].w;
  }
  if (sum == 1.2345f) *to = sum;
}
)";

CUkernel kernel_of(const char* text, const char* name) {
  const std::string code = compile_cuda(text, name, name, {cuda_device(0).architecture()}).code;
  auto* const module = new cuda_module(code);  // its kernel is used until the process ends
  return module->kernel(name, primary_context(0));
}

}  // namespace

side hand_written_softmax(const float* from, float* to, std::int64_t rows) {
  cuda_choose_context(true);
  static const CUkernel kernel = kernel_of(softmax_4096_by_hand, "softmax_by_hand");
  side made;
  made.call = [from, to, rows]() mutable {
    void* arguments[] = {&from, &to};
    launch_shape shape;
    shape.block_x = 256;
    shape.grid_x = static_cast<unsigned>(rows);
    launch_kernel(require_driver(), kernel, shape, nullptr, arguments, "softmax_by_hand");
  };
  made.wait = cuda_wait;
  made.bytes = 2 * 4096.0 * static_cast<double>(rows) * sizeof(float);
  return made;
}

side read_only(const float* from, std::int64_t count) {
  cuda_choose_context(true);
  static const CUkernel kernel = kernel_of(read_text, "read_only");
  side made;
  made.call = [from, count]() mutable {
    auto vectors = static_cast<long long>(count / 4);
    // The sum is never stored, so any writable address serves.
    float* to = const_cast<float*>(from);
    void* arguments[] = {&from, &vectors, &to};
    launch_shape shape;
    shape.block_x = 512;
    shape.grid_x = static_cast<unsigned>(cuda_device(0).multiprocessors) * 4;
    launch_kernel(require_driver(), kernel, shape, nullptr, arguments, "read_only");
  };
  made.wait = cuda_wait;
  made.bytes = static_cast<double>(count) * sizeof(float);
  return made;
}

}  // namespace sinter_bench
