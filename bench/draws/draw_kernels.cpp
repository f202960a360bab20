#include "draw_kernels.hpp"

#include "../limits/cuda_limits.hpp"

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace sinter_bench {
namespace {

using namespace sinter::runtime;

// Box and Muller's radius and angle of two words each, as sinter/rng.hpp defines them, by CUDA's own
// functions.
constexpr const char* text_of_draws = R"(
static __device__ __forceinline__ uint4 philox(uint4 c, unsigned k0, unsigned k1) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned a = __umulhi(0xD2511F53u, c.x), b = 0xD2511F53u * c.x;
    const unsigned d = __umulhi(0xCD9E8D57u, c.z), e = 0xCD9E8D57u * c.z;
    c = make_uint4(d ^ c.y ^ k0, e, a ^ c.w ^ k1, b);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}
static __device__ __forceinline__ float uniform(unsigned word) { return (word >> 8) * 0x1p-24f; }
static __device__ __forceinline__ float2 normals(unsigned radius, unsigned angle) {
  const float length = sqrtf(-2.0f * logf((float)(radius | 1u) * 0x1p-32f));
  float sine, cosine;
  sincospif((float)(int)angle * 0x1p-31f, &sine, &cosine);
  return make_float2(length * cosine, length * sine);
}
extern "C" __global__ void __launch_bounds__(256) by_hand(float4* __restrict__ to, long long blocks,
    unsigned long long seed) {
  const long long block = blockIdx.x * 256ll + threadIdx.x;
  if (block >= blocks) return;
  const uint4 w = philox(make_uint4((unsigned)block, (unsigned)(block >> 32), 0, 0), (unsigned)seed, (unsigned)(seed >> 32));
#ifdef NORMAL
  const float2 first = normals(w.x, w.y), second = normals(w.z, w.w);
  __stcs(to + block, make_float4(first.x, first.y, second.x, second.y));
#else
  __stcs(to + block, make_float4(uniform(w.x), uniform(w.y), uniform(w.z), uniform(w.w)));
#endif
}
)";

CUkernel kernel_of(const std::string& text) {
  const std::string code = compile_cuda(text, "by_hand", "by_hand", {cuda_device(0).architecture()}).code;
  auto* const module = new cuda_module(code);  // its kernel is used until the process ends
  return module->kernel("by_hand", primary_context(0));
}

std::array<std::uint32_t, 4> block_of(std::uint64_t number, std::uint64_t seed) {
  auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(number),
                                 static_cast<std::uint32_t>(number >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * c[0], second = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(second >> 32) ^ c[1] ^ low, static_cast<std::uint32_t>(second),
         static_cast<std::uint32_t>(first >> 32) ^ c[3] ^ high, static_cast<std::uint32_t>(first)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return c;
}

}  // namespace

side cuda_draw_by_hand(drawn_numbers what, float* to, std::int64_t count, std::uint64_t seed) {
  cuda_choose_context(true);
  const std::string define = what == drawn_numbers::normal ? "#define NORMAL\n" : "";
  const CUkernel kernel = kernel_of(define + text_of_draws);
  side made;
  made.bytes = 4 * static_cast<double>(count);
  made.call = [=]() mutable {
    std::int64_t blocks = count / 4;
    void* arguments[] = {&to, &blocks, &seed};
    launch_shape shape;
    shape.block_x = 256;
    shape.grid_x = static_cast<unsigned>((blocks + 255) / 256);
    launch_kernel(require_driver(), kernel, shape, nullptr, arguments, "by_hand");
  };
  made.wait = cuda_wait;
  return made;
}

side cuda_write(float* to, std::int64_t count) {
  side made;
  made.bytes = 4 * static_cast<double>(count);
  made.call = [=] { cuda_set_bytes(to, static_cast<std::size_t>(4 * count), 7); };
  made.wait = cuda_wait;
  return made;
}

void draw_plainly(drawn_numbers what, float* to, std::size_t first, std::size_t last, std::uint64_t seed) {
  for (std::size_t i = first; i < last; i += 4) {
    const std::array<std::uint32_t, 4> words = block_of(i / 4, seed);
    if (what == drawn_numbers::uniform) {
      for (std::size_t k = 0; k < 4; ++k) to[i + k] = static_cast<float>(words[k] >> 8) * 0x1p-24f;
      continue;
    }
    for (std::size_t k = 0; k < 4; k += 2) {
      const float length = std::sqrt(-2 * std::log(static_cast<float>(words[k] | 1) * 0x1p-32f));
      const float angle =
          static_cast<float>(static_cast<std::int32_t>(words[k + 1])) * 0x1p-31f * std::numbers::pi_v<float>;
      to[i + k] = length * std::cos(angle);
      to[i + k + 1] = length * std::sin(angle);
    }
  }
}

}  // namespace sinter_bench
