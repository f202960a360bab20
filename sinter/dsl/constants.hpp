#pragma once
// Constants and explicit scalars. A constant takes the type that it meets, as a C++ number does.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: type_error from scalar<T>() where an integer does not fit T; nothing else fails.
// After a failure: no scalar has been made.

#include <sinter/dsl/detail/operand.hpp>

extern "C" double nan(const char*) noexcept;  // as <math.h> declares it: its name is an operand

namespace sinter::inline v0 {

using ::nan;

namespace detail {

enum class constant_name : std::uint8_t { infinity, pi, e, euler_gamma };

constexpr double number_of(constant_name name) {
  switch (name) {
    case constant_name::infinity:
      return __builtin_huge_val();
    case constant_name::pi:
      return 3.141592653589793238462643383279502884;
    case constant_name::e:
      return 2.718281828459045235360287471352662498;
    default:
      return 0.577215664901532860606512090082402431;
  }
}

template <constant_name Name, bool Negative = false>
struct constant {
  constexpr operator double() const { return Negative ? -number_of(Name) : number_of(Name); }
  constexpr constant<Name, !Negative> operator-() const { return {}; }
  constexpr constant operator+() const { return {}; }
};

/// A scalar that is written into the graph (`Literal`), or is strong (`T` is not a weak type).
template <class T, bool Literal>
struct explicit_scalar {
  std::uint64_t bits;
  std::uint64_t imaginary = 0;
};

template <constant_name Name, bool Negative>
struct operand_info<constant<Name, Negative>> : scalar_info {
  static constexpr bool literal = true;
  static constexpr operand_type type{element_type::float64, true};
};
template <class T, bool Literal>
struct operand_info<explicit_scalar<T, Literal>> : scalar_info {
  static constexpr bool literal = Literal;
  static constexpr operand_type type = operand_type_of<T>;
};

template <constant_name Name, bool Negative>
constexpr scalar_source source_of(constant<Name, Negative> from) {
  return {{element_type::float64, true}, true, std::bit_cast<std::uint64_t>(static_cast<double>(from))};
}
template <class T, bool Literal>
constexpr scalar_source source_of(explicit_scalar<T, Literal> from) {
  return {operand_type_of<T>, Literal, from.bits, from.imaginary};
}

}  // namespace detail

/// Infinity, pi, Euler's number and Euler's constant, in the floating type that they meet.
inline constexpr detail::constant<detail::constant_name::infinity> inf{};
inline constexpr detail::constant<detail::constant_name::pi> pi{};
inline constexpr detail::constant<detail::constant_name::e> e{};
inline constexpr detail::constant<detail::constant_name::euler_gamma> euler_gamma{};

/// A strong scalar: it takes part in promotion as an array of type T does. Throws type_error for an integer
/// outside the range of T.
template <element T, class Number>
[[nodiscard]] auto scalar(Number number, std::source_location at = std::source_location::current()) {
  const detail::scalar_source from =
      detail::converted_scalar(detail::source_of(number), element_type_of<T>, at);
  return detail::explicit_scalar<detail::canonical<T>, false>{from.bits, from.imaginary};
}

/// A scalar that is written into the kernel even where C++ scalars are run-time parameters: another value
/// compiles another kernel. It is weak, as a C++ number is.
template <class Number>
  requires(detail::kind_of_operand<Number> == detail::operand_kind::scalar)
constexpr auto literal(Number number) {
  constexpr operand_type own = detail::operand_info<Number>::type;
  const detail::scalar_source from = detail::source_of(number);
  return detail::explicit_scalar<detail::spelling_of<own.type, own.weak>, true>{from.bits, from.imaginary};
}

}  // namespace sinter::inline v0
