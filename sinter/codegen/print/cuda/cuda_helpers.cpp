#include <sinter/codegen/print/cuda/cuda_helpers.hpp>

#include <sinter/codegen/target/sort_limits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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
)";

constexpr std::string_view store_vector =
    R"(template <typename T, int N> __device__ __forceinline__ void store_whole(T* to, const pack<T, N>& from) {
  *reinterpret_cast<pack<T, N>*>(to) = from;
}
)";

// The same, where elements of 8 and 16 bits are stored as words: NVRTC 13.0 splits a vector of eight halves
// into eight stores in some kernels whose threads store several, which then take up to 3.7 times as long.
// Others take up to 1.05 times as long with words (bench/results/2026-11-25-nvidia-h100-short-axes.md).
constexpr std::string_view store_words =
    R"(template <typename T, int N> __device__ __forceinline__ void store_whole(T* to, const pack<T, N>& from) {
  if constexpr (sizeof(T) < 4 && sizeof(from) >= 4) {
    union { pack<T, N> elements; unsigned int w[sizeof(from) / 4]; } all = {from};
    constexpr int words = sizeof(from) / 4;
    if constexpr (words == 1) asm volatile("st.global.b32 [%0], %1;" :: "l"(to), "r"(all.w[0]) : "memory");
    if constexpr (words == 2) asm volatile("st.global.v2.b32 [%0], {%1, %2};" :: "l"(to), "r"(all.w[0]), "r"(all.w[1]) : "memory");
#pragma unroll
    for (int i = 0; i + 4 <= words; i += 4) asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" :: "l"(to + i * 4 / sizeof(T)), "r"(all.w[i]), "r"(all.w[i + 1]), "r"(all.w[i + 2]), "r"(all.w[i + 3]) : "memory");
  } else {
    *reinterpret_cast<pack<T, N>*>(to) = from;
  }
}
)";

constexpr std::string_view rest_of_preamble =
    R"(template <typename T, int N> __device__ __forceinline__ void store(T* to, const pack<T, N>& from, int left) {
  if (left >= N) { store_whole(to, from); return; }
#pragma unroll
  for (int e = 0; e < N; ++e) if (e < left) to[e] = from.e[e];
}
__device__ __forceinline__ float float_from_bits(unsigned int bits) { return __uint_as_float(bits); }
__device__ __forceinline__ double double_from_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
)";

constexpr std::string_view divide =
    R"(__device__ __forceinline__ unsigned int divide(unsigned int n, const divisor& by) {
  return (__umulhi(n, (unsigned int)by.multiplier) + n) >> (unsigned int)by.shift;
}
)";
constexpr std::string_view divide_wide =
    R"(__device__ __forceinline__ long long divide_wide(long long n, const divisor& by) {
  return (long long)((__umul64hi((unsigned long long)n, by.multiplier) + (unsigned long long)n) >> by.shift);
}
)";
// shared_offset(): where a position along axes that share a digit lies in an access.
constexpr std::string_view shared_offset =
    R"(template <int count> __device__ __forceinline__ long long shared_offset(const divisor (&by)[count], const long long (&strides)[count], long long position) {
  long long offset = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const long long rest = divide_wide(position, by[i]);
    offset += (position - rest * by[i].value) * strides[i];
    position = rest;
  }
  return offset;
}
)";
// exchange(value, distance): that of the thread whose number differs in the bit `distance`. One text for
// every type; shfl is written out because it needs no header so.
constexpr std::string_view exchange =
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

// arrive_at_cluster() and wait_for_cluster(): together a barrier of a cluster's threads; in_block(place, n):
// the same place in the shared memory of the cluster's block n.
// Without .aligned, which asks for warps whose threads are side by side: no compiler promises that they are
// after a branch, and where they are not the instruction is an illegal one. Where the assembler sees that
// they are, the code is the same.
constexpr std::string_view cluster =
    R"(__device__ __forceinline__ void arrive_at_cluster() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__device__ __forceinline__ void wait_for_cluster() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
template <typename T> __device__ __forceinline__ T* in_block(T* here, int block) {
  unsigned long long there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(block));
  return reinterpret_cast<T*>(there);
}
)";
// copy_ahead(place, from, property): 16 bytes to shared memory, without waiting; wait_for_copies().
constexpr std::string_view copy_ahead =
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

// move_rows(): `count` neighbouring elements to or from shared memory, by all threads of a block, in vectors
// of 16 bytes but for the first and the last; both sides begin as many elements after an aligned address,
// elements_ahead(address).
constexpr std::string_view move_rows =
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

// from_below(value, distance): that of the thread so many below in the warp; from_thread(value, number).
constexpr std::string_view scan_exchange =
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
__device__ __forceinline__ float name(float x, int by) { return __uint_as_float(name(__float_as_uint(x), by)); } \
template <typename T> __device__ __forceinline__ T name(T x, int by) { return (T)name((unsigned int)x, by); }
BY_WORDS(from_below)
BY_WORDS(from_thread)
)";

// sort_row(): the places where the elements of a row in order come from, of its keys; the threads of a row
// have keys and places in the same order. A word is a key above its place. Networks of merges, whose first
// step compares from both ends, so that the lower of two always keeps the smaller word. While words are
// compared a thread has neighbours in its registers.
static_assert(resident_sort_bits == 13 && max_resident_sort == 8192, "the text below has them");
constexpr std::string_view sort_network =
    R"(struct keyed_place { unsigned long long key; unsigned int place; };
__device__ __forceinline__ bool operator<(const keyed_place& a, const keyed_place& b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }
__device__ __forceinline__ keyed_place exchange(const keyed_place& x, int distance) { return {exchange(x.key, distance), exchange(x.place, distance)}; }
template <int form> struct sort_word { typedef unsigned int type; };
template <> struct sort_word<1> { typedef unsigned long long type; };
template <> struct sort_word<2> { typedef keyed_place type; };
template <typename W, typename K> __device__ __forceinline__ void set_word(W& to, K key, unsigned int place) { to = (W)key << 13 | place; }
__device__ __forceinline__ void set_word(keyed_place& to, unsigned long long key, unsigned int place) { to = {key, place}; }
template <typename W> __device__ __forceinline__ unsigned int place_of(W word) { return (unsigned int)word & 8191u; }
__device__ __forceinline__ unsigned int place_of(const keyed_place& word) { return word.place; }
template <typename W> __device__ __forceinline__ void put_in_order(W& low, W& high) {
  const bool swaps = high < low;
  const W first = swaps ? high : low;
  high = swaps ? low : high;
  low = first;
}
template <int count, typename W> __device__ __forceinline__ void merge_in_thread(W (&w)[count], int from) {
#pragma unroll
  for (int distance = count / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (distance <= from && (i & distance) == 0) put_in_order(w[i], w[i + distance]);
}
template <int count, typename W> __device__ __forceinline__ void sort_in_thread(W (&w)[count]) {
#pragma unroll
  for (int span = 2; span <= count; span *= 2) {
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (i < (i ^ (span - 1))) put_in_order(w[i], w[i ^ (span - 1)]);
    merge_in_thread(w, span / 4);
  }
}
template <typename W> __device__ __forceinline__ W kept(const W& own, const W& other, bool is_low) { return (other < own) == is_low ? other : own; }
template <bool mirrored, int threads, int exchanged, int count, typename W>
__device__ __forceinline__ void meet(W (&w)[count], W* shared, int thread, int mask, bool is_low) {
  if (threads <= 32 || mask < 32) {
#pragma unroll
    for (int i = 0; i < count / 2; ++i) {
      const int j = count - 1 - i;
      const W a = exchange(w[mirrored ? j : i], mask), b = exchange(w[mirrored ? i : j], mask);
      w[i] = kept(w[i], a, is_low);
      w[j] = kept(w[j], b, is_low);
    }
    return;
  }
  constexpr int pairs = exchanged / 2;
#pragma unroll
  for (int first = 0; first < count / 2; first += pairs) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      shared[2 * p * threads + thread] = w[first + p];
      shared[(2 * p + 1) * threads + thread] = w[count - 1 - first - p];
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      W &low = w[first + p], &high = w[count - 1 - first - p];
      const W* other = shared + 2 * p * threads + (thread ^ mask);
      low = kept(low, other[mirrored ? threads : 0], is_low);
      high = kept(high, other[mirrored ? 0 : threads], is_low);
    }
    __syncthreads();
  }
}
template <int form, int threads, int steps, int vector, int exchanged, typename K>
__device__ __forceinline__ void sort_row(const K (&keys)[steps][vector], unsigned int (&places)[steps][vector], unsigned long long* shared, int length, int thread) {
  typedef typename sort_word<form>::type word;
  constexpr int count = steps * vector;
  word w[count];
#pragma unroll
  for (int i = 0; i < count; ++i) set_word(w[i], keys[i / vector][i % vector], (unsigned int)((i / vector * threads + thread) * vector + i % vector));
  sort_in_thread(w);
#pragma unroll 1
  for (int span = 2; span <= threads; span *= 2) {
    meet<true, threads, exchanged>(w, reinterpret_cast<word*>(shared), thread, span - 1, (thread & span / 2) == 0);
#pragma unroll 1
    for (int distance = span / 4; distance > 0; distance /= 2)
      meet<false, threads, exchanged>(w, reinterpret_cast<word*>(shared), thread, distance, (thread & distance) == 0);
    merge_in_thread(w, count / 2);
  }
  if (threads == 1) {
#pragma unroll
    for (int i = 0; i < count; ++i) places[i / vector][i % vector] = i < length ? place_of(w[i]) : 0u;
    return;
  }
  unsigned int* in_order = reinterpret_cast<unsigned int*>(shared);
#pragma unroll
  for (int i = 0; i < count; ++i) in_order[thread * count + i + (thread * count + i) / 32] = place_of(w[i]);
  if (threads <= 32) __syncwarp(); else __syncthreads();
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int at = (i / vector * threads + thread) * vector + i % vector;
    places[i / vector][i % vector] = at < length ? in_order[at + at / 32] : 0u;
  }
}
)";

// Of complex numbers: that of their parts. {0} is the function.
constexpr std::string_view of_complex =
    "template <typename T> __device__ __forceinline__ complex<T> {0}(complex<T> x, int by) {{ return "
    "{{{0}(x.real, by), {0}(x.imag, by)}}; }}\n";

/// Functions that come together.
struct helper_text {
  std::span<const std::string_view> names;
  std::string_view text;
  bool takes_complex = false;  ///< see of_complex
  std::span<const std::string_view> calls = {};
};

constexpr std::string_view divide_name[] = {"divide"}, divide_wide_name[] = {"divide_wide"},
                           shared_offset_name[] = {"shared_offset"}, exchange_name[] = {"exchange"},
                           cluster_names[] = {"arrive_at_cluster", "wait_for_cluster", "in_block"},
                           copy_names[] = {"copy_ahead", "wait_for_copies"},
                           row_names[] = {"elements_ahead", "move_rows"},
                           scan_names[] = {"from_below", "from_thread"}, sort_names[] = {"sort_row"};
/// What others call comes before them.
constexpr helper_text helpers[] = {
    {divide_name, divide},
    {divide_wide_name, divide_wide},
    {shared_offset_name, shared_offset, false, divide_wide_name},
    {exchange_name, exchange, true},
    {cluster_names, cluster},
    {copy_names, copy_ahead},
    {row_names, move_rows},
    {scan_names, scan_exchange, true},
    {sort_names, sort_network, false, exchange_name},
};

bool has_any(std::span<const std::string_view> called, std::span<const std::string_view> names) {
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return std::ranges::count(called, name) != 0; });
}

/// Whether a thread stores several vectors of elements that are narrower than a word.
bool stores_narrow_vectors(const kernel_description& kernel) {
  const schedule& chosen = kernel.chosen;
  const bool stores_several =
      (chosen.order == loop_order::rows && chosen.rows_per_thread > 1) || reduces_columns(chosen.order);
  return chosen.vector > 1 && stores_several &&
         std::ranges::any_of(kernel.body.accesses, [](const access_pattern& at) {
           return at.what == access_pattern::kind::write && size_of(at.type) < sizeof(std::uint32_t);
         });
}

}  // namespace

std::string cuda_helpers(std::span<const std::string_view> called, bool with_complex) {
  std::vector<std::string_view> needed(called.begin(), called.end());
  for (const helper_text& at : helpers)
    if (has_any(called, at.names)) needed.insert(needed.end(), at.calls.begin(), at.calls.end());
  std::string text;
  for (const helper_text& at : helpers) {
    if (!has_any(needed, at.names)) continue;
    text += at.text;
    if (!with_complex || !at.takes_complex) continue;
    for (const std::string_view name : at.names) text += fmt::format(of_complex, name);
  }
  return text;
}

std::string cuda_preamble(const kernel_description& kernel) {
  return std::string(preamble)
      .append(stores_narrow_vectors(kernel) ? store_words : store_vector)
      .append(rest_of_preamble);
}

}  // namespace sinter::inline v0::codegen
