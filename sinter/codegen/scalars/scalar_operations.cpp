#include <sinter/codegen/scalars/complex_operations.hpp>
#include <sinter/codegen/scalars/operations.hpp>
#include <sinter/codegen/scalars/random_operations.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <concepts>
#include <type_traits>

namespace sinter::inline v0 {
namespace {

template <typename T>
constexpr bool takes(type_rule rule) {
  if (is_complex_number<T>) return takes_complex(rule) && rule != type_rule::logical;
  switch (unrestricted(rule)) {
    case type_rule::floating:
    case type_rule::quotient:
    case type_rule::angle:
    case type_rule::assembled:
    case type_rule::scaled:
    case type_rule::exponent:
    case type_rule::order_key:
      return std::floating_point<T>;
    case type_rule::integral:
    case type_rule::divisors:
    case type_rule::counting:
      return std::integral<T> && !std::same_as<T, bool>;
    case type_rule::random:
      return std::same_as<T, std::uint64_t>;
    case type_rule::normal:
      return std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;
    case type_rule::of_key:
      return std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;
    case type_rule::bits:
      return std::integral<T>;
    case type_rule::arithmetic:
    case type_rule::whole:
      return !std::same_as<T, bool>;
    case type_rule::logical:
      return std::same_as<T, bool>;
    default:
      return true;
  }
}

template <typename T>
T operand_as(const reference_value& value) {
  if constexpr (is_complex_number<T>)
    return T(static_cast<typename T::value_type>(value.real),
             static_cast<typename T::value_type>(value.imaginary));
  else if constexpr (std::floating_point<T>)
    return static_cast<T>(value.real);
  else
    return static_cast<T>(value.integer);
}

/// Converts a result back to `T`: small integers promote to int in C++, and a constant may widen a floating
/// result.
template <typename T, typename Result>
reference_value outcome(Result result) {
  if constexpr (is_complex_number<Result>)
    return {static_cast<long double>(result.real()), 0, static_cast<long double>(result.imag())};
  else if constexpr (std::floating_point<Result> && (is_complex_number<T> || std::integral<T>))
    return {static_cast<long double>(result), 0};
  else if constexpr (std::floating_point<Result>)
    return {static_cast<long double>(static_cast<T>(result)), 0};
  else if constexpr (std::same_as<Result, bool> || std::same_as<Result, std::uint8_t>)
    return {0, result};
  else if constexpr (std::floating_point<T>)  // an exponent
    return {0, static_cast<std::uint64_t>(static_cast<std::int64_t>(result))};
  else
    return {0, static_cast<std::uint64_t>(static_cast<T>(result))};
}

template <typename T>
reference_value evaluate_in(operation op, [[maybe_unused]] element_type type,
                            std::span<const reference_value> operands) {
  const auto operand = [&](std::size_t i) { return i < operands.size() ? operand_as<T>(operands[i]) : T{}; };
  [[maybe_unused]] const T a = op == operation::where ? T{} : operand(0), b = operand(1), c = operand(2);
  [[maybe_unused]] const bool condition = op == operation::where && operands[0].integer != 0;
  switch (op) {
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation) \
  case operation::name:                                                                 \
    if constexpr (takes<T>(type_rule::rule))                                            \
      return outcome<T>(reference);                                                     \
    else                                                                                \
      break;
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
    default:
      break;
  }
  return {};
}

}  // namespace

reference_value evaluate(operation op, element_type compute, reference_precision precision,
                         std::span<const reference_value> operands) {
  switch (compute) {
    case element_type::boolean:
      return evaluate_in<bool>(op, compute, operands);
    case element_type::int8:
      return evaluate_in<std::int8_t>(op, compute, operands);
    case element_type::int16:
      return evaluate_in<std::int16_t>(op, compute, operands);
    case element_type::int32:
      return evaluate_in<std::int32_t>(op, compute, operands);
    case element_type::int64:
      return evaluate_in<std::int64_t>(op, compute, operands);
    case element_type::uint8:
      return evaluate_in<std::uint8_t>(op, compute, operands);
    case element_type::uint16:
      return evaluate_in<std::uint16_t>(op, compute, operands);
    case element_type::uint32:
      return evaluate_in<std::uint32_t>(op, compute, operands);
    case element_type::uint64:
      return evaluate_in<std::uint64_t>(op, compute, operands);
    default:
      break;
  }
  const bool extended = precision == reference_precision::extended;
  if (compute == element_type::complex64 && !extended)
    return evaluate_in<std::complex<float>>(op, compute, operands);
  if (compute == element_type::complex128 && !extended)
    return evaluate_in<std::complex<double>>(op, compute, operands);
  if (is_complex(compute)) return evaluate_in<std::complex<long double>>(op, compute, operands);
  if (extended) return evaluate_in<long double>(op, compute, operands);
  return compute == element_type::float64 ? evaluate_in<double>(op, compute, operands)
                                          : evaluate_in<float>(op, compute, operands);
}

reference_value load_reference(element_type type, std::uint64_t bits) {
  if (is_floating(type)) return {real_of(type, bits), 0};
  return {0, integer_of(type, bits)};
}

std::uint64_t store_reference(element_type type, const reference_value& value) {
  return is_floating(type) ? real_bits(type, value.real) : canonical_bits(type, value.integer);
}

reference_value cast_reference(element_type from, const reference_value& value, element_type to) {
  if (is_complex(from) && is_boolean(to)) return {0, std::uint64_t{value.real != 0 || value.imaginary != 0}};
  if (is_complex(to)) {
    const element_type part = component_of(to);
    if (is_complex(from)) return {rounded(part, value.real), 0, rounded(part, value.imaginary)};
    return {cast_reference(from, value, part).real, 0, 0};
  }
  if (is_floating(from)) {
    if (is_floating(to)) return {rounded(to, value.real), 0};
    return {0, integer_of(to, saturated_integer(to, value.real))};
  }
  if (is_floating(to)) return {rounded(to, integer_as_real(from, value.integer)), 0};
  return {0, is_boolean(to) ? std::uint64_t{value.integer != 0} : integer_of(to, value.integer)};
}

}  // namespace sinter::inline v0
