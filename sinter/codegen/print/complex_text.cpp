#include <sinter/codegen/math/instruction_function.hpp>
#include <sinter/codegen/print/complex_text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

bool has_complex(const kernel_description& kernel) {
  return std::any_of(kernel.body.body.begin(), kernel.body.body.end(),
                     [](const instruction& at) { return is_complex(at.type) || is_complex(at.compute); }) ||
         std::any_of(kernel.body.accesses.begin(), kernel.body.accesses.end(),
                     [](const access& at) { return is_complex(at.type); });
}

/// $ is what stands before each function. A GPU loads both parts at once, which takes an aligned element.
constexpr std::string_view type_on_cuda =
    "template <typename T> struct alignas(2 * sizeof(T)) complex { T real, imag; };\n";
constexpr std::string_view type_on_cpu = "template <typename T> struct complex { T real, imag; };\n";
constexpr std::string_view operators =
    R"(template <typename T> $complex<T> operator+(complex<T> a, complex<T> b) { return {a.real + b.real, a.imag + b.imag}; }
template <typename T> $complex<T> operator-(complex<T> a, complex<T> b) { return {a.real - b.real, a.imag - b.imag}; }
template <typename T> $complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
template <typename T> $bool operator==(complex<T> a, complex<T> b) { return (a.real == b.real) & (a.imag == b.imag); }
template <typename T> $bool operator!=(complex<T> a, complex<T> b) { return (a.real != b.real) | (a.imag != b.imag); }
)";

/// What vectors of eight do for other elements (cpu_helpers.cpp).
constexpr std::string_view cpu_rows =
    R"(template <class T> __attribute__((noinline)) static void repeat_rows(complex<T>* to, const complex<T>* from, long long, long long across, long long height, long long width) {
  for (; height > 0; --height, from += across, to += width)
    for (long long x = 0; x < width; ++x) to[x] = *from;
}
template <class T> __attribute__((noinline)) static void pack_row(complex<T>* to, const complex<T>* from, long long step, long long n) {
  for (long long i = 0; i < n; ++i) to[i] = from[i * step];
}
)";

}  // namespace

std::string complex_type_text(text_target target) {
  std::string text(target == text_target::cuda ? type_on_cuda : type_on_cpu);
  for (const char c : operators) {
    if (c == '$')
      text += device_function_prefix(target);
    else
      text += c;
  }
  return text;
}

std::string complex_text(const kernel_description& kernel) {
  if (!has_complex(kernel)) return {};
  const std::string type = complex_type_text(text_target_of(kernel));
  return is_gpu(kernel.target) ? type : type + std::string(cpu_rows);
}

std::string complex_exchange_text(const kernel_description& kernel,
                                  std::initializer_list<std::string_view> functions) {
  std::string text;
  if (!has_complex(kernel)) return text;
  for (const std::string_view name : functions)
    text += fmt::format(
        "template <typename T> __device__ __forceinline__ complex<T> {0}(complex<T> x, int by) {{ return "
        "{{{0}(x.real, by), {0}(x.imag, by)}}; }}\n",
        name);
  return text;
}

}  // namespace sinter::inline v0::codegen
