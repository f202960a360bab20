#include <sinter/codegen/print/update_text.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

struct update_function {
  operation combine;
  std::string_view name, cpu, cuda;
};

// 64-bit additions of signed integers are those of unsigned ones
constexpr update_function update_functions[] = {
    {operation::add, "update_add",
     R"(template <class T> static inline void update_add(T* to, T with) { __atomic_fetch_add(to, with, __ATOMIC_RELAXED); }
)",
     R"(template <class T> static __device__ __forceinline__ void update_add(T* to, T with) {
  if constexpr (sizeof(T) == 8) atomicAdd((unsigned long long*)to, (unsigned long long)with);
  else atomicAdd((unsigned*)to, (unsigned)with);
}
)"},
    {operation::minimum, "update_minimum",
     R"(template <class T> static inline void update_minimum(T* to, T with) {
  T before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (with < before && !__atomic_compare_exchange_n(to, &before, with, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
)",
     R"(template <class T> static __device__ __forceinline__ void update_minimum(T* to, T with) { atomicMin(to, with); }
)"},
    {operation::maximum, "update_maximum",
     R"(template <class T> static inline void update_maximum(T* to, T with) {
  T before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (before < with && !__atomic_compare_exchange_n(to, &before, with, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
)",
     R"(template <class T> static __device__ __forceinline__ void update_maximum(T* to, T with) { atomicMax(to, with); }
)"},
};

}  // namespace

std::string_view update_helper(operation combine) {
  return std::ranges::find(update_functions, combine, &update_function::combine)->name;
}

std::string update_text(std::span<const std::string_view> called, target_kind target) {
  std::string text;
  for (const update_function& at : update_functions)
    if (std::ranges::find(called, at.name) != called.end()) text += is_gpu(target) ? at.cuda : at.cpu;
  return text;
}

}  // namespace sinter::inline v0::codegen
