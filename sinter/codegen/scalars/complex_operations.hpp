#pragma once
// The meaning of operations on complex numbers where it differs from operations.hpp, on std::complex of the
// floating type in which the reference computes.

#include <sinter/codegen/scalars/operations.hpp>

#include <complex>

namespace sinter::inline v0 {

template <typename T>
inline constexpr bool is_complex_number = false;
template <typename T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

/// The product by definition. (std::complex gives infinities where the definition gives NaN.)
template <typename T>
std::complex<T> reference_multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <typename T>
std::complex<T> reference_reciprocal(std::complex<T> a) {
  return T{1} / a;
}
template <typename T>
T reference_absolute(std::complex<T> a) {
  return std::hypot(a.real(), a.imag());
}

template <typename T>
bool reference_isnan(std::complex<T> a) {
  return std::isnan(a.real()) || std::isnan(a.imag());
}
template <typename T>
bool reference_isinf(std::complex<T> a) {
  return std::isinf(a.real()) || std::isinf(a.imag());
}
template <typename T>
bool reference_isfinite(std::complex<T> a) {
  return std::isfinite(a.real()) && std::isfinite(a.imag());
}

/// x / |x|; if exactly one part is infinite, the direction of that part.
template <typename T>
std::complex<T> reference_sign(std::complex<T> a) {
  if (a == std::complex<T>{}) return {};
  if (std::isinf(a.real()) != std::isinf(a.imag()))
    return std::isinf(a.real()) ? std::complex<T>{std::copysign(T{1}, a.real()), 0}
                                : std::complex<T>{0, std::copysign(T{1}, a.imag())};
  return a / reference_absolute(a);
}
template <typename T>
std::complex<T> reference_round(std::complex<T> a) {
  return {std::nearbyint(a.real()), std::nearbyint(a.imag())};
}

template <typename T>
std::complex<T> reference_power(std::complex<T> a, std::complex<T> b) {
  const T size = std::fabs(b.real()), nothing = b.real() > 0 ? T{0} : std::numeric_limits<T>::quiet_NaN();
  if (b == std::complex<T>{}) return {1};
  if (a == std::complex<T>{}) return {nothing, nothing};
  if (b.imag() == 0 && size < 100 && std::nearbyint(size) == size) {
    std::complex<T> product{1}, factor = a;
    for (auto left = static_cast<int>(size); left != 0;
         left >>= 1, factor = reference_multiply(factor, factor))
      if ((left & 1) != 0) product = reference_multiply(product, factor);
    return b.real() < 0 ? reference_reciprocal(product) : product;
  }
  return std::exp(reference_multiply(b, std::log(a)));
}
template <typename T>
std::complex<T> reference_exp2(std::complex<T> a) {
  return std::exp(a * std::numbers::ln2_v<T>);
}
/// The real part is cos(y) expm1(x) - 2 sin(y / 2)^2, which cancels only near its zeros.
template <typename T>
std::complex<T> reference_expm1(std::complex<T> a) {
  const T half = std::sin(a.imag() / 2);
  return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half * half,
          std::exp(a.real()) * std::sin(a.imag())};
}
template <typename T>
std::complex<T> reference_log2(std::complex<T> a) {
  return std::log(a) / std::numbers::ln2_v<T>;
}
template <typename T>
std::complex<T> reference_log1p(std::complex<T> a) {
  const bool near = std::max(std::fabs(a.real()), std::fabs(a.imag())) < T{0.5};
  const T above = 1 + a.real();
  return {near ? std::log1p(a.real() * (2 + a.real()) + a.imag() * a.imag()) / 2
               : std::log(std::hypot(above, a.imag())),
          std::atan2(a.imag(), above)};
}

/// Parts; the imaginary part of a real number is 0.
template <typename T>
auto reference_real(T a) {
  if constexpr (is_complex_number<T>)
    return a.real();
  else
    return a;
}
template <typename T>
auto reference_imag(T a) {
  if constexpr (is_complex_number<T>)
    return a.imag();
  else
    return T{0};
}
template <typename T>
T reference_conj(T a) {
  if constexpr (is_complex_number<T>)
    return std::conj(a);
  else
    return a;
}
template <typename T>
auto reference_angle(T a) {
  if constexpr (is_complex_number<T>)
    return std::arg(a);
  else
    return std::atan2(T{0}, a);
}
template <std::floating_point T>
std::complex<T> reference_make_complex(T real, T imaginary) {
  return {real, imaginary};
}

}  // namespace sinter::inline v0
