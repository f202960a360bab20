#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/print/update_text.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

struct update_function {
  std::string_view what, name, cpu, cuda;
};

// One row for each of update_name(), in the order of private_functions.
// 64-bit additions of signed integers are those of unsigned ones
constexpr update_function update_functions[] = {
    {"add", "update_add",
     R"(template <class T> static inline __attribute__((always_inline)) void update_add(T* to, T with) { __atomic_fetch_add(to, with, __ATOMIC_RELAXED); }
)",
     // where all lanes of a warp have one place, their sum is added once: memory adds to it one after the
     // other
     R"(template <class T> static __device__ __forceinline__ void update_add(T* to, T with) {
#if __CUDA_ARCH__ >= 800
  const unsigned lanes = __activemask();
  int are_one;
  __match_all_sync(lanes, (unsigned long long)to, &are_one);
  if (are_one) {
    unsigned before;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    unsigned long long sum = __reduce_add_sync(lanes, sizeof(T) == 8 ? (unsigned)with & 0xffffu : (unsigned)with);
    if constexpr (sizeof(T) == 8) {
      sum += (unsigned long long)__reduce_add_sync(lanes, (unsigned)with >> 16) << 16;
      sum += (unsigned long long)__reduce_add_sync(lanes, (unsigned)((unsigned long long)with >> 32)) << 32;
    }
    if ((lanes & before) != 0) return;
    with = (T)sum;
  }
#endif
  if constexpr (sizeof(T) == 8) atomicAdd((unsigned long long*)to, (unsigned long long)with);
  else atomicAdd((unsigned*)to, (unsigned)with);
}
)"},
    {"minimum", "update_minimum",
     R"(template <class T> static inline __attribute__((always_inline)) void update_minimum(T* to, T with) {
  T before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (with < before && !__atomic_compare_exchange_n(to, &before, with, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
)",
     R"(template <class T> static __device__ __forceinline__ void update_minimum(T* to, T with) {
  if (with < *(volatile T*)to) atomicMin(to, with);
}
)"},
    {"maximum", "update_maximum",
     R"(template <class T> static inline __attribute__((always_inline)) void update_maximum(T* to, T with) {
  T before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (before < with && !__atomic_compare_exchange_n(to, &before, with, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
)",
     R"(template <class T> static __device__ __forceinline__ void update_maximum(T* to, T with) {
  if (*(volatile T*)to < with) atomicMax(to, with);
}
)"},
    {"sum", "update_sum",
     R"(template <class T> static inline __attribute__((always_inline)) void update_sum(T* to, T with) {
  T before, after;
  __atomic_load(to, &before, __ATOMIC_RELAXED);
  do after = before + with; while (!__atomic_compare_exchange(to, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
)",
     R"(template <class T> static __device__ __forceinline__ void update_sum(T* to, T with) { atomicAdd(to, with); }
)"},
};

/// The helpers begin_own_…, which clears a task's or a block's own copy of an array, own_…, which combines an
/// element of it with a value, and end_own_…, which updates the array by the copy.
struct private_update_functions {
  std::string_view begin, update;
  std::string_view cpu;   ///< not atomic: a task's
  std::string_view cuda;  ///< of all threads of a block; both use the function that updates an array
};

// On a GPU:
// - Shared memory adds numbers of 32 bits. Of 64 bits it has the lower halves, then the upper ones, and a sum
//   that is below what was added has carried. The upper half of a sum changes rarely.
// - Elements are compared before they are updated: where many threads meet, most change nothing.
constexpr private_update_functions private_functions[] = {
    {"begin_own_add", "own_add",
     R"(template <class T> APART static void begin_own_add(T* own, long long n) { for (long long i = 0; i < n; ++i) own[i] = 0; }
template <class T> static inline __attribute__((always_inline)) void own_add(T* to, T with) { *to = (T)((unsigned long long)*to + (unsigned long long)with); }
template <class T> APART static void end_own_add(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) if (own[i] != 0) update_add(to + i, own[i]);
}
)",
     R"(template <class T> static __device__ __forceinline__ void begin_own_add(T* own, int n, int thread, int threads) {
  for (int i = thread; i < n; i += threads) own[i] = 0;
}
template <class T> static __device__ __forceinline__ void own_add(T* own, long long place, T with, int n) {
  unsigned* const words = (unsigned*)own + place;
  const unsigned low = (unsigned)with;
  if constexpr (sizeof(T) == 4) {
    atomicAdd(words, low);
  } else {
    const unsigned before = atomicAdd(words, low), carry = before + low < low ? 1u : 0u;
    const unsigned high = (unsigned)((unsigned long long)with >> 32) + carry;
    if (high != 0) atomicAdd(words + n, high);
  }
}
template <class T> static __device__ __forceinline__ void end_own_add(T* to, const T* own, int n, long long elements, int, int thread, int threads) {
  const unsigned* const words = (const unsigned*)own;
  for (int i = thread; i < elements; i += threads) {
    T sum;
    if constexpr (sizeof(T) == 4) sum = own[i];
    else sum = (T)((unsigned long long)words[n + i] << 32 | words[i]);
    if (sum != 0) update_add(to + i, sum);
  }
}
)"},
    {"begin_own_minimum", "own_minimum",
     R"(template <class T> APART static void begin_own_minimum(T* own, long long n) {
  for (long long i = 0; i < n; ++i) own[i] = (T)-1 < 0 ? (T)(((unsigned long long)1 << (8 * sizeof(T) - 1)) - 1) : (T)-1;
}
template <class T> static inline __attribute__((always_inline)) void own_minimum(T* to, T with) { *to = with < *to ? with : *to; }
template <class T> APART static void end_own_minimum(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) update_minimum(to + i, own[i]);
}
)",
     R"(template <class T> static __device__ __forceinline__ void begin_own_minimum(T* own, int n, int thread, int threads) {
  for (int i = thread; i < n; i += threads) own[i] = (T)-1 < 0 ? (T)(((unsigned long long)1 << (8 * sizeof(T) - 1)) - 1) : (T)-1;
}
template <class T> static __device__ __forceinline__ void own_minimum(T* own, long long place, T with, int) { update_minimum(own + place, with); }
template <class T> static __device__ __forceinline__ void end_own_minimum(T* to, const T* own, int, long long elements, int, int thread, int threads) {
  for (int i = thread; i < elements; i += threads) update_minimum(to + i, own[i]);
}
)"},
    {"begin_own_maximum", "own_maximum",
     R"(template <class T> APART static void begin_own_maximum(T* own, long long n) {
  for (long long i = 0; i < n; ++i) own[i] = (T)-1 < 0 ? (T)((unsigned long long)1 << (8 * sizeof(T) - 1)) : (T)0;
}
template <class T> static inline __attribute__((always_inline)) void own_maximum(T* to, T with) { *to = *to < with ? with : *to; }
template <class T> APART static void end_own_maximum(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) update_maximum(to + i, own[i]);
}
)",
     R"(template <class T> static __device__ __forceinline__ void begin_own_maximum(T* own, int n, int thread, int threads) {
  for (int i = thread; i < n; i += threads) own[i] = (T)-1 < 0 ? (T)((unsigned long long)1 << (8 * sizeof(T) - 1)) : (T)0;
}
template <class T> static __device__ __forceinline__ void own_maximum(T* own, long long place, T with, int) { update_maximum(own + place, with); }
template <class T> static __device__ __forceinline__ void end_own_maximum(T* to, const T* own, int, long long elements, int, int thread, int threads) {
  for (int i = thread; i < elements; i += threads) update_maximum(to + i, own[i]);
}
)"},
    {"begin_own_sum", "own_sum",
     R"(template <class T> APART static void begin_own_sum(T* own, long long n) { for (long long i = 0; i < n; ++i) own[i] = 0; }
template <class T> static inline __attribute__((always_inline)) void own_sum(T* to, T with) { *to = *to + with; }
template <class T> APART static void end_own_sum(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) if (own[i] != 0) update_sum(to + i, own[i]);
}
)",
     R"(template <class T> static __device__ __forceinline__ void begin_own_sum(T* own, int n, int thread, int threads) {
  for (int i = thread; i < n; i += threads) own[i] = 0;
}
template <class T> static __device__ __forceinline__ void own_sum(T* own, long long place, T with, int) { atomicAdd(own + place, with); }
template <class T> static __device__ __forceinline__ void end_own_sum(T* to, const T* own, int, long long elements, int, int thread, int threads) {
  for (int i = thread; i < elements; i += threads) if (own[i] != 0) update_sum(to + i, own[i]);
}
)"},
};

/// Of a block that counts its updates. The compiler has an instruction that increments for all lanes with one
/// place at once.
constexpr std::string_view begin_count = "begin_own_count";
constexpr std::string_view count_text =
    R"(static __device__ __forceinline__ void begin_own_count(unsigned* own, int n, int thread, int threads) {
  for (int i = thread; i < n; i += threads) own[i] = 0;
}
template <class T> static __device__ __forceinline__ void own_count(unsigned* own, long long place, T, int) { atomicAdd(own + place, 1u); }
template <class T> static __device__ __forceinline__ void end_own_count(T* to, const unsigned* own, int, long long elements, int with, int thread, int threads) {
  for (int i = thread; i < elements; i += threads)
    if (own[i] != 0) update_add(to + i, (T)((unsigned long long)own[i] * with));
}
)";

}  // namespace

std::string_view update_helper(operation combine, element_type type, bool is_own) {
  const auto* const found =
      std::ranges::find(update_functions, update_name(combine, type), &update_function::what);
  return is_own ? private_functions[found - std::begin(update_functions)].update : found->name;
}

std::string update_text(std::span<const std::string_view> called, target_kind target) {
  const auto is_called = [&](std::string_view name) {
    return std::ranges::find(called, name) != called.end();
  };
  std::string text;
  for (std::size_t i = 0; i < std::size(update_functions); ++i) {
    const update_function& at = update_functions[i];
    const bool is_private = is_called(private_functions[i].begin);
    const bool is_counted = at.what == "add" && is_called(begin_count);
    if (is_called(at.name) || is_private || is_counted) text += is_gpu(target) ? at.cuda : at.cpu;
    if (is_private) text += is_gpu(target) ? private_functions[i].cuda : private_functions[i].cpu;
    if (is_counted) text += count_text;
  }
  return text;
}

}  // namespace sinter::inline v0::codegen
