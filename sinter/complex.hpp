#pragma once
// std::complex as elements and scalars: complex64 is std::complex<float>, complex128 std::complex<double>. A
// header of its own because <complex> is expensive to include.
//
// A std::complex scalar is weak, as other C++ numbers are: with float32 it is complex64. On a GPU the address
// of each element must be a multiple of its size.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#include <sinter/sinter.hpp>

#include <complex>

namespace sinter::inline v0::detail {

template <>
struct element_traits<std::complex<float>> {
  static constexpr element_type type = element_type::complex64;
};
template <>
struct element_traits<std::complex<double>> {
  static constexpr element_type type = element_type::complex128;
};
template <>
struct element_storage<element_type::complex64> {
  using type = std::complex<float>;
};
template <>
struct element_storage<element_type::complex128> {
  using type = std::complex<double>;
};

template <class T>
  requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
struct operand_info<std::complex<T>> : scalar_info {
  static constexpr bool literal = false;
  static constexpr operand_type type{element_traits<std::complex<T>>::type, true};
  static constexpr scalar_source source(const std::complex<T>& number) {
    return {type, false, source_of(number.real()).bits, source_of(number.imag()).bits};
  }
};

}  // namespace sinter::inline v0::detail
