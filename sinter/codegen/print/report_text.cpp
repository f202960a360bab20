#include <sinter/codegen/print/report_text.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view cpu_text =
    R"(static __attribute__((noinline, cold)) void report_index(long long* fault, long long site, long long index, long long extent) {
  long long free = 0;
  if (!__atomic_compare_exchange_n(fault, &free, 1ll, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
  fault[1] = site;
  fault[2] = index;
  fault[3] = extent;
  __atomic_store_n(fault, 2ll, __ATOMIC_RELEASE);
}
)";

constexpr std::string_view cuda_text =
    R"(static __device__ __forceinline__ void report_index(long long* fault, long long site, long long index, long long extent) {
  if (atomicCAS((unsigned long long*)fault, 0ull, 1ull) != 0ull) return;
  fault[1] = site;
  fault[2] = index;
  fault[3] = extent;
  __threadfence_system();
  *(volatile long long*)fault = 2;
}
)";

}  // namespace

std::string report_text(std::span<const std::string_view> called, target_kind target) {
  if (std::ranges::find(called, "report_index") == called.end()) return {};
  return std::string(is_gpu(target) ? cuda_text : cpu_text);
}

}  // namespace sinter::inline v0::codegen
