// Axes that share a digit: where a position along them lies in each access is worked out in a loop.

#include <sinter/codegen/print/emit_body.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr std::string_view on_cuda =
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

constexpr std::string_view on_host =
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

std::string_view shared_digit_helper(const emission& kernel) {
  if (kernel.kept.shared_count() == 0 && kernel.reduced.shared_count() == 0) return {};
  return kernel.is_cuda() ? on_cuda : on_host;
}

std::string shared_offset_name(unsigned group, bool reduced) {
  return fmt::format("{}{}", reduced ? "deep" : "far", group);
}

namespace {

std::vector<std::string> shared_offset_statements(const emission& kernel, bool reduced,
                                                  std::string_view position) {
  const axis_digits& digits = reduced ? kernel.reduced : kernel.kept;
  std::vector<std::string> made;
  for (unsigned group = 0; group < kernel.groups() && digits.shared_count() != 0; ++group)
    if (digits.moves_along_shared(kernel.first_of_group(group))) {
      const std::string name = shared_offset_name(group, reduced);
      made.push_back(
          fmt::format("{0} = shared_offset(a.{1}, a.{0}, {2});", name, reduced ? "deep" : "far", position));
    }
  return made;
}

}  // namespace

void declare_shared_offsets(const emission& kernel, bool reduced, std::string_view position,
                            text_writer& out) {
  for (const std::string& statement : shared_offset_statements(kernel, reduced, position))
    out.line("const long long " + statement);
}

}  // namespace sinter::codegen
