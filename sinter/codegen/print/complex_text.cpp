#include <sinter/codegen/math/instruction_function.hpp>
#include <sinter/codegen/print/complex_text.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

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

bool has_complex(const kernel_description& kernel) {
  return std::any_of(kernel.body.body.begin(), kernel.body.body.end(),
                     [](const instruction& at) { return is_complex(at.type) || is_complex(at.compute); }) ||
         std::any_of(kernel.body.accesses.begin(), kernel.body.accesses.end(),
                     [](const access_pattern& at) { return is_complex(at.type); });
}

std::string complex_text(const kernel_description& kernel) {
  return has_complex(kernel) ? complex_type_text(text_target_of(kernel)) : std::string();
}

}  // namespace sinter::inline v0::codegen
