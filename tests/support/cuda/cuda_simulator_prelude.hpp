#pragma once
// The prelude of a GPU kernel's text that is compiled for the CPU: CUDA's built-in names, and functions for
// the instructions in inline assembly. tests/support/cuda/cuda_simulator.cpp runs the result.

#include <string_view>

namespace sinter::test {

inline constexpr std::string_view simulator_prelude = R"text(
typedef unsigned int sim_word;
struct sim_place { unsigned int x, y, z; };
// Laid out as cuda_simulator.cpp's cpu_functions and thread_place are.
struct sim_thread { sim_place thread, block; };
struct sim_host {
  void (*barrier)(int line);
  sim_word (*shuffle)(int kind, sim_word value, int by);
  void (*arrive)();
  void (*wait)();
  void* (*map)(const void* here, int block);
  void (*copy)(void* to, const void* from);
  void (*wait_for_copies)();
  void (*fault)(const char* what, const void* at);
  double (*math)(const char* name, double x, double y);
};
extern "C" {
__attribute__((visibility("default"))) const sim_host* sim_functions;
__attribute__((visibility("default"))) const sim_thread* sim_current;
extern char __start_sim_shared[] __attribute__((visibility("hidden")));
extern char __stop_sim_shared[] __attribute__((visibility("hidden")));
__attribute__((visibility("default"))) char* sim_shared_begin() { return __start_sim_shared; }
__attribute__((visibility("default"))) char* sim_shared_end() { return __stop_sim_shared; }
}
__attribute__((section("sim_shared"), used, retain, aligned(256))) static char sim_first_of_shared[16];

#define __CUDA_ARCH__ 900
#define __device__
#define __global__
#define __shared__ static __attribute__((section("sim_shared"), retain))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define threadIdx (sim_current->thread)
#define blockIdx (sim_current->block)
#define __syncthreads() sim_functions->barrier(__LINE__)
// The threads of a warp wait for each other where they exchange values.
#define __syncwarp() ((void)sim_functions->shuffle(2, 0, 0))

struct alignas(16) uint4 { unsigned int x, y, z, w; };
template <typename T> struct sim_pointee {};
template <typename T> struct sim_pointee<T*> { typedef T type; };
/// Every wide access goes through a cast: its address is a multiple of its size, or the device stops.
template <typename P, typename F> __attribute__((always_inline)) inline P sim_cast(F from) {
  if ((unsigned long long)from % alignof(typename sim_pointee<P>::type) != 0)
    sim_functions->fault("a wide access is not aligned", (const void*)from);
  return (P)from;
}

// Threads of a block run one after the other.
inline unsigned long long atomicCAS(unsigned long long* at, unsigned long long expected, unsigned long long to) {
  const unsigned long long before = *at;
  if (before == expected) *at = to;
  return before;
}
template <class T> inline T atomicAdd(T* at, T with) {
  const T before = *at;
  *at = before + with;
  return before;
}
// A warp's active lanes are one.
inline unsigned int __activemask() { return 1u; }
inline unsigned int __match_all_sync(unsigned int lanes, unsigned long long, int* are_equal) {
  *are_equal = 1;
  return lanes;
}
inline unsigned int __reduce_add_sync(unsigned int, unsigned int with) { return with; }
inline unsigned int ptx_mov_u32() { return 0; }
template <class T> inline void atomicMin(T* at, T with) { *at = with < *at ? with : *at; }
template <class T> inline void atomicMax(T* at, T with) { *at = *at < with ? with : *at; }
inline void __threadfence_system() {}

inline float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
inline unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)((unsigned long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline const void* __nv_associate_access_property(const void* from, unsigned long long) { return from; }
inline unsigned long long __cvta_generic_to_shared(const void* at) { return (unsigned long long)((const char*)at - __start_sim_shared); }

#define SIM_BOTH_1(name) \
  inline float name##f(float x) { return __builtin_##name##f(x); } \
  inline double name(double x) { return __builtin_##name(x); }
SIM_BOTH_1(fabs) SIM_BOTH_1(sqrt) SIM_BOTH_1(floor) SIM_BOTH_1(ceil) SIM_BOTH_1(trunc) SIM_BOTH_1(rint)
#define SIM_BOTH_2(name) \
  inline float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  inline double name(double x, double y) { return __builtin_##name(x, y); }
SIM_BOTH_2(copysign) SIM_BOTH_2(fmod)
#define SIM_MATH_1(name) \
  inline float name##f(float x) { return (float)sim_functions->math(#name, x, 0); } \
  inline double name(double x) { return sim_functions->math(#name, x, 0); }
SIM_MATH_1(exp) SIM_MATH_1(exp2) SIM_MATH_1(expm1) SIM_MATH_1(log) SIM_MATH_1(log2) SIM_MATH_1(log10) SIM_MATH_1(log1p)
SIM_MATH_1(sin) SIM_MATH_1(cos) SIM_MATH_1(tan) SIM_MATH_1(asin) SIM_MATH_1(acos) SIM_MATH_1(atan)
SIM_MATH_1(sinh) SIM_MATH_1(cosh) SIM_MATH_1(tanh) SIM_MATH_1(asinh) SIM_MATH_1(acosh) SIM_MATH_1(atanh)
SIM_MATH_1(cbrt) SIM_MATH_1(erf) SIM_MATH_1(erfc)
#define SIM_MATH_2(name) \
  inline float name##f(float x, float y) { return (float)sim_functions->math(#name, x, y); } \
  inline double name(double x, double y) { return sim_functions->math(#name, x, y); }
SIM_MATH_2(atan2) SIM_MATH_2(pow) SIM_MATH_2(hypot)
inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
template <typename T> inline T sim_fmin(T x, T y) {
  return x != x ? y : y != y ? x : x < y || (x == y && __builtin_signbit(x)) ? x : y;
}
template <typename T> inline T sim_fmax(T x, T y) {
  return x != x ? y : y != y ? x : x > y || (x == y && !__builtin_signbit(x)) ? x : y;
}
inline float fminf(float x, float y) { return sim_fmin(x, y); }
inline double fmin(double x, double y) { return sim_fmin(x, y); }
inline float fmaxf(float x, float y) { return sim_fmax(x, y); }
inline double fmax(double x, double y) { return sim_fmax(x, y); }

// instructions, by their names; none that asks for warps whose threads are side by side (.aligned)
inline void ptx_griddepcontrol_launch_dependents() {}
inline void ptx_griddepcontrol_wait() {}
inline void ptx_st_global_b32(void* to, unsigned int a) { __builtin_memcpy(to, &a, 4); }
inline void ptx_st_global_v2_b32(void* to, unsigned int a, unsigned int b) {
  const unsigned int words[] = {a, b};
  __builtin_memcpy(to, words, 8);
}
inline void ptx_st_global_v4_b32(void* to, unsigned int a, unsigned int b, unsigned int c, unsigned int d) {
  const unsigned int words[] = {a, b, c, d};
  __builtin_memcpy(to, words, 16);
}
inline void ptx_barrier_cluster_arrive() { sim_functions->arrive(); }
inline void ptx_barrier_cluster_wait() { sim_functions->wait(); }
inline unsigned long long ptx_mapa_u64(const void* here, int block) { return (unsigned long long)sim_functions->map(here, block); }
inline sim_word ptx_shfl_sync_bfly_b32(sim_word x, int by) { return sim_functions->shuffle(0, x, by); }
inline sim_word ptx_shfl_sync_up_b32(sim_word x, int by) { return sim_functions->shuffle(1, x, by); }
inline sim_word ptx_shfl_sync_idx_b32(sim_word x, int by) { return sim_functions->shuffle(2, x, by); }
inline void ptx_cp_async_cg_shared_global_L2__cache_hint(unsigned int to, const void* from, unsigned long long) {
  sim_functions->copy(__start_sim_shared + to, from);
}
inline void ptx_cp_async_cg_shared_global(unsigned int to, const void* from) { sim_functions->copy(__start_sim_shared + to, from); }
inline void ptx_cp_async_wait_all() { sim_functions->wait_for_copies(); }
template <typename T, typename F> inline T sim_saturated(F x) {
  const T least = (T)((T)-1 < (T)0 ? (T)1 << (sizeof(T) * 8 - 1) : (T)0), most = (T)~least;
  const F above = (F)((unsigned long long)1 << (sizeof(T) * 8 - ((T)-1 < (T)0) - 1)) * 2;
  return x != x ? (T)0 : x >= above ? most : x < (F)least ? least : (T)x;
}
inline int ptx_cvt_rzi_s32_f32(float x) { return sim_saturated<int>(x); }
inline unsigned int ptx_cvt_rzi_u32_f32(float x) { return sim_saturated<unsigned int>(x); }
inline long long ptx_cvt_rzi_s64_f32(float x) { return sim_saturated<long long>(x); }
inline unsigned long long ptx_cvt_rzi_u64_f32(float x) { return sim_saturated<unsigned long long>(x); }
inline int ptx_cvt_rzi_s32_f64(double x) { return sim_saturated<int>(x); }
inline unsigned int ptx_cvt_rzi_u32_f64(double x) { return sim_saturated<unsigned int>(x); }
inline long long ptx_cvt_rzi_s64_f64(double x) { return sim_saturated<long long>(x); }
inline unsigned long long ptx_cvt_rzi_u64_f64(double x) { return sim_saturated<unsigned long long>(x); }
inline short ptx_cvt_u16_u32(unsigned int x) { return (short)x; }
inline int ptx_prmt_b32(int x) { return x; }
inline float ptx_rcp_approx_ftz_f32(float x) { return 1.0f / x; }
inline float ptx_rsqrt_approx_ftz_f32(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float ptx_min_f32(float x, float y) { return sim_fmin(x, y); }
inline double ptx_min_f64(double x, double y) { return sim_fmin(x, y); }
inline float ptx_max_f32(float x, float y) { return sim_fmax(x, y); }
inline double ptx_max_f64(double x, double y) { return sim_fmax(x, y); }
inline float ptx_min_NaN_f32(float x, float y) {
  return x != x || y != y ? __uint_as_float(0x7fffffff) : sim_fmin(x, y);
}
inline float ptx_max_NaN_f32(float x, float y) {
  return x != x || y != y ? __uint_as_float(0x7fffffff) : sim_fmax(x, y);
}

inline float ptx_cvt_f32_f16(unsigned short x) {
  const unsigned int sign = (unsigned int)(x & 0x8000) << 16, exponent = x >> 10 & 31u, fraction = x & 1023u;
  if (exponent == 31) return __uint_as_float(fraction != 0 ? 0x7fffffffu : sign | 0x7f800000u);
  if (exponent != 0) return __uint_as_float(sign | (exponent + 112u) << 23 | fraction << 13);
  const float small = (float)fraction * 0x1p-24f;
  return __uint_as_float(sign | __float_as_uint(small));
}
/// A number rounded to `digits` bits with exponents from `least` on, to even.
inline double sim_rounded(double x, int digits, int least) {
  if (!__builtin_isfinite(x) || x == 0) return x;
  int exponent = (int)(__builtin_bit_cast(unsigned long long, x) >> 52 & 2047) - 1023;
  if (exponent < least) exponent = least;
  const double unit = __builtin_bit_cast(double, (unsigned long long)(exponent - digits + 1 + 1023) << 52);
  return __builtin_rint(x / unit) * unit;
}
inline unsigned short ptx_cvt_rn_f16_f64(double x) {
  const unsigned short sign = (unsigned short)(__builtin_bit_cast(unsigned long long, x) >> 48 & 0x8000);
  if (x != x) return 0x7fff;
  const double near = __builtin_fabs(sim_rounded(x, 11, -14));
  if (near >= 0x1p16) return sign | 0x7c00;
  if (near < 0x1p-14) return sign | (unsigned short)(near * 0x1p24);
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, near);
  return sign | (unsigned short)(((bits >> 52) - 1008) << 10 | (bits >> 42 & 1023));
}
inline unsigned short ptx_cvt_rn_f16_f32(float x) { return ptx_cvt_rn_f16_f64(x); }
inline unsigned short ptx_cvt_rn_bf16_f32(float x) {
  const unsigned int bits = __float_as_uint(x);
  if (x != x) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
)text";

}  // namespace sinter::test
