// Compiled once for each instruction set; ROW_LOOPS is the namespace of one.

#include "row_loops.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sinter_bench::ROW_LOOPS {
namespace {

struct complex_of_floats {
  float real, imaginary;
  complex_of_floats operator+(complex_of_floats other) const {
    return {real + other.real, imaginary + other.imaginary};
  }
  complex_of_floats operator-(complex_of_floats other) const {
    return {real - other.real, imaginary - other.imaginary};
  }
  complex_of_floats operator*(complex_of_floats other) const {
    return {real * other.real - imaginary * other.imaginary, real * other.imaginary + imaginary * other.real};
  }
  complex_of_floats operator/(float divisor) const { return {real / divisor, imaginary / divisor}; }
};

/// As people write it where the processor has no instructions for it: the upper half of a float, rounded to
/// even.
struct bfloat16 {
  std::uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float number) {
    const auto wide = __builtin_bit_cast(std::uint32_t, number);
    bits = number != number ? 0x7fc0 : static_cast<std::uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  operator float() const { return __builtin_bit_cast(float, std::uint32_t{bits} << 16); }
};

template <class T>
constexpr bool is_complex = std::is_same_v<T, complex_of_floats>;
template <class T>
constexpr bool is_half = std::is_same_v<T, _Float16> || std::is_same_v<T, bfloat16>;

/// What computes: float for halves.
template <class T>
using computed = std::conditional_t<is_half<T>, float, T>;
/// NumPy's type of a sum, and what accumulates it.
template <class T>
using sum_type = std::conditional_t<
    !std::is_integral_v<T>, computed<T>,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>, std::uint64_t, std::int64_t>>;
template <class T>
using sum_result = std::conditional_t<std::is_integral_v<T>, sum_type<T>, T>;
/// The type of a mean.
template <class T>
using quotient = std::conditional_t<std::is_integral_v<T>, double, computed<T>>;
template <class T>
using quotient_result = std::conditional_t<std::is_integral_v<T>, double, T>;

template <class T>
computed<T> load(const T& element) {
  return static_cast<computed<T>>(element);
}

template <class T>
T one() {
  if constexpr (is_complex<T>)
    return {1, 0};
  else
    return 1;
}

template <class T>
void sum(const T* x, sum_result<T>* out, std::size_t length) {
  sum_type<T> total{};
  for (std::size_t i = 0; i < length; ++i) total = total + static_cast<sum_type<T>>(load(x[i]));
  *out = static_cast<sum_result<T>>(total);
}
template <class T>
void prod(const T* x, sum_result<T>* out, std::size_t length) {
  sum_type<T> total = one<sum_type<T>>();
  for (std::size_t i = 0; i < length; ++i) total = total * static_cast<sum_type<T>>(load(x[i]));
  *out = static_cast<sum_result<T>>(total);
}
template <class T>
computed<T> min_of(const T* x, std::size_t length) {
  computed<T> least = load(x[0]);
  for (std::size_t i = 1; i < length; ++i) least = load(x[i]) < least ? load(x[i]) : least;
  return least;
}
template <class T>
computed<T> greatest_of(const T* x, std::size_t length) {
  computed<T> greatest = load(x[0]);
  for (std::size_t i = 1; i < length; ++i) greatest = load(x[i]) > greatest ? load(x[i]) : greatest;
  return greatest;
}
template <class T>
void min(const T* x, T* out, std::size_t length) {
  *out = static_cast<T>(min_of(x, length));
}
template <class T>
void max(const T* x, T* out, std::size_t length) {
  *out = static_cast<T>(greatest_of(x, length));
}
template <class T>
void argmin(const T* x, std::int64_t* out, std::size_t length) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < length; ++i)
    if (x[i] < x[best]) best = i;
  *out = static_cast<std::int64_t>(best);
}
template <class T>
void argmax(const T* x, std::int64_t* out, std::size_t length) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < length; ++i)
    if (x[i] > x[best]) best = i;
  *out = static_cast<std::int64_t>(best);
}
template <class T>
void any(const T* x, bool* out, std::size_t length) {
  bool found = false;
  for (std::size_t i = 0; i < length; ++i) found |= x[i] != T{};
  *out = found;
}
template <class T>
quotient<T> mean_of(const T* x, std::size_t length) {
  quotient<T> total{};
  for (std::size_t i = 0; i < length; ++i) total = total + static_cast<quotient<T>>(load(x[i]));
  if constexpr (is_complex<T>)
    return total / static_cast<float>(length);
  else
    return total / static_cast<quotient<T>>(length);
}
template <class T>
void mean(const T* x, quotient_result<T>* out, std::size_t length) {
  *out = static_cast<quotient_result<T>>(mean_of(x, length));
}
template <class T>
void cumsum(const T* x, sum_result<T>* out, std::size_t length) {
  sum_type<T> total{};
  for (std::size_t i = 0; i < length; ++i) {
    total = total + static_cast<sum_type<T>>(load(x[i]));
    out[i] = static_cast<sum_result<T>>(total);
  }
}
template <class T>
void cumprod(const T* x, sum_result<T>* out, std::size_t length) {
  sum_type<T> total = one<sum_type<T>>();
  for (std::size_t i = 0; i < length; ++i) {
    total = total * static_cast<sum_type<T>>(load(x[i]));
    out[i] = static_cast<sum_result<T>>(total);
  }
}
template <class T>
void centred(const T* x, quotient_result<T>* out, std::size_t length) {
  const quotient<T> middle = mean_of(x, length);
  for (std::size_t i = 0; i < length; ++i)
    out[i] = static_cast<quotient_result<T>>(static_cast<quotient<T>>(load(x[i])) - middle);
}
template <class T>
void of_length_one(const T* x, T* out, std::size_t length) {
  computed<T> squares{};
  for (std::size_t i = 0; i < length; ++i) squares += load(x[i]) * load(x[i]);
  const computed<T> norm = std::sqrt(squares);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<T>(load(x[i]) / norm);
}
template <class T>
void softmax(const T* x, T* out, std::size_t length) {
  const computed<T> greatest = greatest_of(x, length);
  computed<T> total{};
  for (std::size_t i = 0; i < length; ++i) total += std::exp(load(x[i]) - greatest);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<T>(std::exp(load(x[i]) - greatest) / total);
}
template <class T>
void less_min(const T* x, T* out, std::size_t length) {
  const computed<T> least = min_of(x, length);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<T>(load(x[i]) - least);
}
/// Several results of a row: the box that holds it and its mean.
template <class T>
void bounds_and_mean(const T* x, T* least, T* greatest, quotient_result<T>* middle, std::size_t length) {
  *least = static_cast<T>(min_of(x, length));
  *greatest = static_cast<T>(greatest_of(x, length));
  *middle = static_cast<quotient_result<T>>(mean_of(x, length));
}
/// A row less its mean, and the norm of what is left.
template <class T>
void centred_and_norm(const T* x, T* out, T* norm, std::size_t length) {
  const computed<T> middle = mean_of(x, length);
  computed<T> squares{};
  for (std::size_t i = 0; i < length; ++i) {
    const computed<T> distance = load(x[i]) - middle;
    out[i] = static_cast<T>(distance);
    squares += distance * distance;
  }
  *norm = static_cast<T>(std::sqrt(squares));
}

/// Elements of a result that a row has.
enum class share { one, row };

/// One loop over rows of a function of a row with a single result.
template <auto Function, share Of, class T, class R>
void all_rows(const void* x, void* const* out, std::size_t first, std::size_t last, std::size_t length) {
  const T* const from = static_cast<const T*>(x);
  R* const to = static_cast<R*>(out[0]);
  for (std::size_t row = first; row < last; ++row)
    Function(from + row * length, to + (Of == share::row ? row * length : row), length);
}
template <class T>
void all_bounds(const void* x, void* const* out, std::size_t first, std::size_t last, std::size_t length) {
  for (std::size_t row = first; row < last; ++row)
    bounds_and_mean(static_cast<const T*>(x) + row * length, static_cast<T*>(out[0]) + row,
                    static_cast<T*>(out[1]) + row, static_cast<quotient_result<T>*>(out[2]) + row, length);
}
template <class T>
void all_centred_and_norm(const void* x, void* const* out, std::size_t first, std::size_t last,
                          std::size_t length) {
  for (std::size_t row = first; row < last; ++row)
    centred_and_norm(static_cast<const T*>(x) + row * length, static_cast<T*>(out[0]) + row * length,
                     static_cast<T*>(out[1]) + row, length);
}

template <class T>
row_loop of_type(std::string_view operation) {
  if (operation == "sum") return all_rows<sum<T>, share::one, T, sum_result<T>>;
  if (operation == "prod") return all_rows<prod<T>, share::one, T, sum_result<T>>;
  if (operation == "mean") return all_rows<mean<T>, share::one, T, quotient_result<T>>;
  if (operation == "cumsum") return all_rows<cumsum<T>, share::row, T, sum_result<T>>;
  if (operation == "cumprod") return all_rows<cumprod<T>, share::row, T, sum_result<T>>;
  if (operation == "x - mean") return all_rows<centred<T>, share::row, T, quotient_result<T>>;
  if constexpr (!is_complex<T>) {
    if (operation == "min") return all_rows<min<T>, share::one, T, T>;
    if (operation == "max") return all_rows<max<T>, share::one, T, T>;
    if (operation == "argmin") return all_rows<argmin<T>, share::one, T, std::int64_t>;
    if (operation == "argmax") return all_rows<argmax<T>, share::one, T, std::int64_t>;
    if (operation == "any") return all_rows<any<T>, share::one, T, bool>;
    if (operation == "min, max, mean") return all_bounds<T>;
    if constexpr (!std::is_same_v<T, bool>)
      if (operation == "x - min") return all_rows<less_min<T>, share::row, T, T>;
  }
  if constexpr (!is_complex<T> && !std::is_integral_v<T>) {
    if (operation == "x / norm") return all_rows<of_length_one<T>, share::row, T, T>;
    if (operation == "softmax") return all_rows<softmax<T>, share::row, T, T>;
    if (operation == "x - mean, norm") return all_centred_and_norm<T>;
  }
  return nullptr;
}

}  // namespace

row_loop find(std::string_view operation, std::string_view type) {
  if (type == "bool") return of_type<bool>(operation);
  if (type == "int8") return of_type<std::int8_t>(operation);
  if (type == "int16") return of_type<std::int16_t>(operation);
  if (type == "int32") return of_type<std::int32_t>(operation);
  if (type == "int64") return of_type<std::int64_t>(operation);
  if (type == "uint8") return of_type<std::uint8_t>(operation);
  if (type == "uint16") return of_type<std::uint16_t>(operation);
  if (type == "uint32") return of_type<std::uint32_t>(operation);
  if (type == "uint64") return of_type<std::uint64_t>(operation);
  if (type == "float16") return of_type<_Float16>(operation);
  if (type == "bfloat16") return of_type<bfloat16>(operation);
  if (type == "float32") return of_type<float>(operation);
  if (type == "float64") return of_type<double>(operation);
  if (type == "complex64") return of_type<complex_of_floats>(operation);
  return nullptr;
}

}  // namespace sinter_bench::ROW_LOOPS
