// Axes that share a digit: where a position along them lies in each access is worked out in a loop.

#include <sinter/codegen/print/text/digit_helpers.hpp>

#include <sinter/codegen/nest/axis_digits.hpp>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view on_gpu =
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

constexpr std::string_view on_cpu =
    R"(template <int count> static inline long long shared_offset(const divisor (&by)[count], const long long (&strides)[count], long long position) {
  long long offset = 0;
#pragma clang loop vectorize(disable) unroll(disable)
  for (int i = 0; i < count; ++i) {
    const long long rest = position / by[i].value;
    offset += (position - rest * by[i].value) * strides[i];
    position = rest;
  }
  return offset;
}
)";

}  // namespace

std::string_view shared_digit_helper(const kernel_description& kernel) {
  const bool shares = axis_digits(kernel.body, false).shared_count() != 0 ||
                      axis_digits(kernel.body, true).shared_count() != 0;
  if (!shares) return {};
  return is_gpu(kernel.target) ? on_gpu : on_cpu;
}

}  // namespace sinter::inline v0::codegen
