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
     R"(template <class T> static __device__ __forceinline__ void update_add(T* to, T with) {
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
     R"(template <class T> static __device__ __forceinline__ void update_minimum(T* to, T with) { atomicMin(to, with); }
)"},
    {"maximum", "update_maximum",
     R"(template <class T> static inline __attribute__((always_inline)) void update_maximum(T* to, T with) {
  T before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (before < with && !__atomic_compare_exchange_n(to, &before, with, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
)",
     R"(template <class T> static __device__ __forceinline__ void update_maximum(T* to, T with) { atomicMax(to, with); }
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

/// The helpers begin_own_…, which clears a task's own copy of an array, own_…, which combines an element of
/// it with a value, not atomically, and end_own_…, which updates the array by the copy.
struct private_update_functions {
  std::string_view begin, update;
  std::string_view text;  ///< uses the function that updates an array
};

constexpr private_update_functions private_functions[] = {
    {"begin_own_add", "own_add",
     R"(template <class T> APART static void begin_own_add(T* own, long long n) { for (long long i = 0; i < n; ++i) own[i] = 0; }
template <class T> static inline __attribute__((always_inline)) void own_add(T* to, T with) { *to = (T)((unsigned long long)*to + (unsigned long long)with); }
template <class T> APART static void end_own_add(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) if (own[i] != 0) update_add(to + i, own[i]);
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
)"},
    {"begin_own_maximum", "own_maximum",
     R"(template <class T> APART static void begin_own_maximum(T* own, long long n) {
  for (long long i = 0; i < n; ++i) own[i] = (T)-1 < 0 ? (T)((unsigned long long)1 << (8 * sizeof(T) - 1)) : (T)0;
}
template <class T> static inline __attribute__((always_inline)) void own_maximum(T* to, T with) { *to = *to < with ? with : *to; }
template <class T> APART static void end_own_maximum(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) update_maximum(to + i, own[i]);
}
)"},
    {"begin_own_sum", "own_sum",
     R"(template <class T> APART static void begin_own_sum(T* own, long long n) { for (long long i = 0; i < n; ++i) own[i] = 0; }
template <class T> static inline __attribute__((always_inline)) void own_sum(T* to, T with) { *to = *to + with; }
template <class T> APART static void end_own_sum(T* to, const T* own, long long n) {
  for (long long i = 0; i < n; ++i) if (own[i] != 0) update_sum(to + i, own[i]);
}
)"},
};

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
    if (is_called(at.name) || is_private) text += is_gpu(target) ? at.cuda : at.cpu;
    if (is_private) text += private_functions[i].text;
  }
  return text;
}

}  // namespace sinter::inline v0::codegen
