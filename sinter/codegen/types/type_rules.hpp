#pragma once
// How operand types decide the types of an operation. The functions are constexpr, so that the DSL checks at
// compile time what the run-time builder checks at run time.

#include <sinter/codegen/types/element_type.hpp>

namespace sinter::inline v0 {

enum class type_rule : std::uint8_t {
  promoted,     ///< promoted type of the operands
  arithmetic,   ///< as promoted; refuses booleans alone, as NumPy does
  whole,        ///< as promoted, with booleans alone computed in int8
  floating,     ///< promoted type, integers converted to a floating type
  quotient,     ///< as floating, but float64 for all integers, as NumPy divides
  integral,     ///< integers only; booleans alone are computed in int8
  divisors,     ///< integers only
  bits,         ///< booleans and integers only
  counting,     ///< as integral; the result is uint8
  comparison,   ///< computed in the promoted type, boolean result
  predicate,    ///< computed in the operand's type, boolean result
  logical,      ///< every operand converted to boolean, boolean result
  accumulated,  ///< of reductions and scans: integers and booleans in 64 bits, floating types as they are
  position,     ///< of reductions: int64, found by comparing in the operand's type
  component,    ///< computed in the operand's type; for complex operands the result has their parts' type
  angle,        ///< as component, with integers converted to a floating type, booleans to float64 as in NumPy
  scaled,       ///< as floating of the first operand alone; the second is converted to it
  exponent,     ///< computed as floating; the result is int32
  assembled,    ///< two parts, promoted as for floating, make a complex number
  random,       ///< unsigned integers only, computed in uint64; the result is uint32
  normal,       ///< uint32 gives float32, uint64 float64; refuses all else
  order_key,    ///< float32 gives int32, float64 int64; refuses all else
  of_key,       ///< int32 gives float32, int64 float64; refuses all else
  // Real operands only: operations without a meaning for complex numbers, or that need an order.
  real_promoted,
  real_whole,
  real_floating,
  real_comparison,
  real_predicate,
  select,  ///< first operand converted to boolean, the others promoted
};

/// The rule without its restriction to real numbers.
constexpr type_rule unrestricted(type_rule rule) {
  switch (rule) {
    case type_rule::real_promoted:
      return type_rule::promoted;
    case type_rule::real_whole:
      return type_rule::whole;
    case type_rule::real_floating:
      return type_rule::floating;
    case type_rule::real_comparison:
      return type_rule::comparison;
    case type_rule::real_predicate:
      return type_rule::predicate;
    default:
      return rule;
  }
}
constexpr bool takes_complex(type_rule rule) {
  switch (rule) {
    case type_rule::integral:
    case type_rule::divisors:
    case type_rule::bits:
    case type_rule::counting:
    case type_rule::position:
    case type_rule::scaled:
    case type_rule::exponent:
    case type_rule::assembled:
    case type_rule::random:
    case type_rule::normal:
    case type_rule::order_key:
    case type_rule::of_key:
      return false;
    default:
      return unrestricted(rule) == rule;
  }
}

/// Types of one operation. `valid` is false where the rule refuses the operands. The result is weak if all
/// operands are (for select: both choices), as an operation on Python's numbers gives a Python number. The
/// exceptions are rules that name the result's type: bool, uint8, int64, or the 64 bits in which a reduction
/// accumulates.
struct operation_types {
  operand_type result;
  operand_type compute;  ///< operands are cast to it (for select, all but the first); weak if the result is
  bool valid = true;
};

namespace detail {
/// Of integers and floating-point numbers of one size: random words, numbers that are made of them, and keys.
constexpr operation_types apply_bits_rule(type_rule rule, operand_type a) {
  if (rule == type_rule::random)
    return {
        {element_type::uint32}, {element_type::uint64}, kind_of(a.type) == element_kind::unsigned_integer};
  if (rule == type_rule::order_key || rule == type_rule::of_key) {
    constexpr element_type floats[] = {element_type::float32, element_type::float64},
                           integers[] = {element_type::int32, element_type::int64};
    const auto& taken = rule == type_rule::order_key ? floats : integers;
    const auto& made = rule == type_rule::order_key ? integers : floats;
    return {{made[a.type == taken[1] ? 1 : 0]}, a, a.type == taken[0] || a.type == taken[1]};
  }
  const bool is_long = a.type == element_type::uint64;
  return {{is_long ? element_type::float64 : element_type::float32},
          a,
          is_long || a.type == element_type::uint32};
}
/// For one strong operand.
constexpr operation_types apply_rule_to_strong(type_rule rule, operand_type a) {
  const bool boolean = is_boolean(a.type);
  if (is_complex(a.type) && !takes_complex(rule)) return {a, a, false};
  switch (unrestricted(rule)) {
    case type_rule::promoted:
    case type_rule::select:
      return {a, a};
    case type_rule::arithmetic:
      return {a, a, !boolean};
    case type_rule::whole:
      if (boolean) a.type = element_type::int8;
      return {a, a};
    case type_rule::floating:
    case type_rule::scaled:
      a.type = floating_type(a.type);
      return {a, a};
    case type_rule::exponent:
      return {{element_type::int32}, {floating_type(a.type)}};
    case type_rule::quotient:
      a.type = is_inexact(a.type) ? a.type : element_type::float64;
      return {a, a};
    case type_rule::integral:
      if (boolean) a.type = element_type::int8;
      return {a, a, !is_floating(a.type)};
    case type_rule::bits:
      return {a, a, !is_floating(a.type)};
    case type_rule::divisors:
      return {a, a, is_integer(a.type)};
    case type_rule::counting:
      if (boolean) a.type = element_type::int8;
      return {{element_type::uint8}, a, !is_floating(a.type)};
    case type_rule::comparison:
    case type_rule::predicate:
      return {{element_type::boolean}, a};
    case type_rule::logical:
      return {{element_type::boolean}, {element_type::boolean}};
    case type_rule::accumulated:
      if (!is_inexact(a.type))
        a.type =
            kind_of(a.type) == element_kind::unsigned_integer ? element_type::uint64 : element_type::int64;
      return {a, a};
    case type_rule::position:
      return {{element_type::int64}, a};
    case type_rule::component:
      return {{component_of(a.type)}, a};
    case type_rule::angle:
      a.type = boolean ? element_type::float64 : floating_type(a.type);
      return {{component_of(a.type)}, a};
    case type_rule::assembled:
      a.type = component_of(complex_of(floating_type(a.type)));
      return {{complex_of(a.type)}, a};
    case type_rule::random:
    case type_rule::normal:
    case type_rule::order_key:
    case type_rule::of_key:
      return apply_bits_rule(rule, a);
    default:
      break;  // unrestricted
  }
  return {a, a, false};
}

/// Whether the result's type depends on the operands' types, instead of being named by the rule.
constexpr bool follows_operands(type_rule rule) {
  switch (unrestricted(rule)) {
    case type_rule::counting:
    case type_rule::comparison:
    case type_rule::predicate:
    case type_rule::logical:
    case type_rule::accumulated:
    case type_rule::position:
    case type_rule::exponent:
    case type_rule::random:
    case type_rule::normal:
    case type_rule::order_key:
    case type_rule::of_key:
      return false;
    default:
      return true;
  }
}
}  // namespace detail

constexpr operation_types apply_rule(type_rule rule, operand_type a) {
  operation_types types = detail::apply_rule_to_strong(rule, settled(a));
  // booleans are always strong
  types.result.weak = types.compute.weak = a.weak && !is_boolean(a.type) && detail::follows_operands(rule);
  return types;
}

constexpr operation_types apply_rule(type_rule rule, operand_type a, operand_type b) {
  // Each integer is converted to its own floating type: int8 with uint8 gives float16, although they promote
  // to int16.
  if (rule == type_rule::scaled) {
    operation_types types = apply_rule(rule, {settled(a).type});
    types.valid = types.valid && !is_complex(b.type);
    types.result.weak = types.compute.weak = a.weak && b.weak && !is_boolean(a.type);
    return types;
  }
  const bool floating = unrestricted(rule) == type_rule::floating || rule == type_rule::assembled;
  if (floating && !a.weak && !b.weak && !is_inexact(a.type) && !is_inexact(b.type))
    return apply_rule(rule, {promote(floating_type(a.type), floating_type(b.type))});
  return apply_rule(rule, promote(a, b));
}

constexpr operation_types apply_rule(type_rule rule, operand_type a, operand_type b, operand_type c) {
  return rule == type_rule::select ? apply_rule(rule, promote(b, c)) : apply_rule(rule, promote(a, b, c));
}

/// The type in which a C++ scalar of type `own` is recorded as operand `position` of `count`, of an operation
/// of these types. It is weak where the scalar is: the rule, applied to what is recorded, gives the same
/// types again. `inexact`: whether any operand of the operation is.
constexpr operand_type type_of_scalar(type_rule rule, const operation_types& types, bool inexact,
                                      unsigned count, unsigned position, operand_type own) {
  if (rule == type_rule::select && position == 0) return {element_type::boolean};
  // the graph builder compares integers of any types by value
  const bool whole = unrestricted(rule) == type_rule::comparison && !inexact;
  if (whole && (is_floating(types.compute.type) || (own.weak && is_integer(own.type)))) return own;
  // with a weak float and an int32, a strong integer must not become a strong float32, which would widen both
  if (count == 3 && !own.weak && !is_inexact(own.type) && is_inexact(types.compute.type)) return own;
  return {types.compute.type, own.weak && !is_boolean(types.compute.type)};
}

}  // namespace sinter::inline v0
