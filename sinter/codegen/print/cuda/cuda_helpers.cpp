#include <sinter/codegen/print/cuda/cuda_helpers.hpp>

namespace sinter::inline v0::codegen {
namespace {

// NVRTC 13.0 crashes where loads that carry a property lie side by side and the architecture has loads of 32
// bytes, as those from 10.0 on have: there the cache policy is left to the hardware.
constexpr std::string_view preamble =
    R"(template <typename T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) pack { T e[N]; };
template <typename T> __device__ __forceinline__ const T* with_property(const T* from, unsigned long long property) {
#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
  return static_cast<const T*>(__nv_associate_access_property(from, property));
#else
  return from;
#endif
}
template <typename T, int N> __device__ __forceinline__ void load_whole(pack<T, N>& to, const T* from) {
  to = *reinterpret_cast<const pack<T, N>*>(from);
}
template <typename T, int N> __device__ __forceinline__ void load(pack<T, N>& to, const T* from, int left) {
  if (left >= N) { load_whole(to, from); return; }
#pragma unroll
  for (int e = 0; e < N; ++e) if (e < left) to.e[e] = from[e];
}
template <typename T, int N> __device__ __forceinline__ void store_whole(T* to, const pack<T, N>& from) {
  *reinterpret_cast<pack<T, N>*>(to) = from;
}
template <typename T, int N> __device__ __forceinline__ void store(T* to, const pack<T, N>& from, int left) {
  if (left >= N) { store_whole(to, from); return; }
#pragma unroll
  for (int e = 0; e < N; ++e) if (e < left) to[e] = from.e[e];
}
__device__ __forceinline__ float float_from_bits(unsigned int bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double double_from_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
)";
}  // namespace

const std::string_view cuda_divide =
    R"(__device__ __forceinline__ unsigned int divide(unsigned int n, const divisor& by) {
  return (__umulhi(n, (unsigned int)by.multiplier) + n) >> (unsigned int)by.shift;
}
)";
const std::string_view cuda_divide_wide =
    R"(__device__ __forceinline__ long long divide_wide(long long n, const divisor& by) {
  return (long long)((__umul64hi((unsigned long long)n, by.multiplier) + (unsigned long long)n) >> by.shift);
}
)";
const std::string_view cuda_exchange =
    R"(__device__ __forceinline__ unsigned int exchange(unsigned int x, int distance) {
  unsigned int r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(distance));
  return r;
}
__device__ __forceinline__ unsigned long long exchange(unsigned long long x, int distance) {
  const unsigned int low = exchange((unsigned int)x, distance), high = exchange((unsigned int)(x >> 32), distance);
  return (unsigned long long)high << 32 | low;
}
__device__ __forceinline__ long long exchange(long long x, int distance) { return (long long)exchange((unsigned long long)x, distance); }
__device__ __forceinline__ double exchange(double x, int distance) { return __longlong_as_double(exchange(__double_as_longlong(x), distance)); }
__device__ __forceinline__ float exchange(float x, int distance) { return __uint_as_float(exchange(__float_as_uint(x), distance)); }
template <typename T> __device__ __forceinline__ T exchange(T x, int distance) { return (T)exchange((unsigned int)x, distance); }
)";

// Without .aligned, which asks for warps whose threads are side by side: no compiler promises that they are
// after a branch, and where they are not the instruction is an illegal one. Where the assembler sees that
// they are, the code is the same.
const std::string_view cuda_cluster =
    R"(__device__ __forceinline__ void arrive_at_cluster() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__device__ __forceinline__ void wait_for_cluster() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
template <typename T> __device__ __forceinline__ T* in_block(T* here, int block) {
  unsigned long long there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(block));
  return reinterpret_cast<T*>(there);
}
)";
const std::string_view cuda_copy_ahead =
    R"(template <typename T, int N> __device__ __forceinline__ void copy_ahead(pack<T, N>* to, const T* from, unsigned long long property) {
#if __CUDA_ARCH__ < 1000
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
               :: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from), "l"(property) : "memory");
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#endif
}
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
)";

const std::string_view cuda_staging =
    R"(template <typename T> __device__ __forceinline__ int elements_ahead(const T* at) { return (int)((unsigned long long)at % 16 / sizeof(T)); }
template <int packs, int threads, typename T> __device__ __forceinline__ void move_rows(T* to, const T* from, int ahead, int count, int thread) {
  constexpr int lanes = 16 / sizeof(T);
#pragma unroll
  for (int s = 0; s < packs; ++s) {
    const int at = (s * threads + thread) * lanes - ahead;
    if (at >= 0 && at + lanes <= count) *reinterpret_cast<pack<T, lanes>*>(to + at) = *reinterpret_cast<const pack<T, lanes>*>(from + at);
  }
  const int before = ahead == 0 ? 0 : lanes - ahead < count ? lanes - ahead : count;
  const int after = before + (count - before) / lanes * lanes;
  if (thread < before) to[thread] = from[thread];
  if (thread < lanes && after + thread < count) to[after + thread] = from[after + thread];
}
)";

const std::string_view cuda_scan_exchange =
    R"(__device__ __forceinline__ unsigned int from_below(unsigned int x, int distance) {
  unsigned int r;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(r) : "r"(x), "r"(distance));
  return r;
}
__device__ __forceinline__ unsigned int from_thread(unsigned int x, int thread) {
  unsigned int r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(thread));
  return r;
}
#define BY_WORDS(name) \
__device__ __forceinline__ unsigned long long name(unsigned long long x, int by) { \
  const unsigned int low = name((unsigned int)x, by), high = name((unsigned int)(x >> 32), by); \
  return (unsigned long long)high << 32 | low; \
} \
__device__ __forceinline__ long long name(long long x, int by) { return (long long)name((unsigned long long)x, by); } \
__device__ __forceinline__ double name(double x, int by) { return __longlong_as_double(name(__double_as_longlong(x), by)); } \
__device__ __forceinline__ float name(float x, int by) { return __uint_as_float(name(__float_as_uint(x), by)); }
BY_WORDS(from_below)
BY_WORDS(from_thread)
)";

std::string cuda_preamble() { return std::string(preamble); }

}  // namespace sinter::inline v0::codegen
