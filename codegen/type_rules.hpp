#pragma once
// How operand types decide the types of an operation: one function a rule, constexpr so that the DSL checks
// at compile time what the run-time builder checks at run time.

#include <sinter/codegen/element_type.hpp>

namespace sinter {

enum class type_rule : std::uint8_t {
  promoted,     ///< promoted type of the operands
  arithmetic,   ///< as promoted, but booleans alone are refused, as in NumPy
  whole,        ///< as promoted, with booleans alone computed in int8
  floating,     ///< promoted type, integers taken to a floating type
  quotient,     ///< as floating, but of integers of any width float64, as NumPy divides
  integral,     ///< integers only; booleans alone are computed in int8
  divisors,     ///< integers only
  bits,         ///< booleans and integers only
  counting,     ///< as integral; the result is uint8
  comparison,   ///< computed in the promoted type, boolean result
  predicate,    ///< computed in the operand's type, boolean result
  logical,      ///< every operand taken to boolean, boolean result
  accumulated,  ///< of reductions and scans: integers and booleans in 64 bits, floating types as they are
  position,     ///< of reductions: int64, found by comparing in the operand's type
  select,       ///< first operand taken to boolean, the others promoted
};

/// Types of one application. `valid` is false where the rule refuses the operands. Results are never weak.
struct operation_types {
  operand_type result;
  operand_type compute;  ///< what operands are cast to (of select: all but the first)
  bool valid = true;
};

constexpr operation_types apply_rule(type_rule rule, operand_type a) {
  a = settled(a);
  const bool boolean = is_boolean(a.type);
  switch (rule) {
    case type_rule::promoted:
    case type_rule::select:
      return {a, a};
    case type_rule::arithmetic:
      return {a, a, !boolean};
    case type_rule::whole:
      if (boolean) a.type = element_type::int8;
      return {a, a};
    case type_rule::floating:
      a.type = floating_type(a.type);
      return {a, a};
    case type_rule::quotient:
      a.type = is_floating(a.type) ? a.type : element_type::float64;
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
      if (!is_floating(a.type))
        a.type =
            kind_of(a.type) == element_kind::unsigned_integer ? element_type::uint64 : element_type::int64;
      return {a, a};
    case type_rule::position:
      return {{element_type::int64}, a};
  }
  return {a, a, false};
}

constexpr operation_types apply_rule(type_rule rule, operand_type a, operand_type b) {
  // Each integer to its own floating type: int8 with uint8 is float16, although together they are int16.
  if (rule == type_rule::floating && !a.weak && !b.weak && !is_floating(a.type) && !is_floating(b.type))
    return apply_rule(rule, {promote(floating_type(a.type), floating_type(b.type))});
  return apply_rule(rule, promote(a, b));
}

constexpr operation_types apply_rule(type_rule rule, operand_type a, operand_type b, operand_type c) {
  return rule == type_rule::select ? apply_rule(rule, promote(b, c))
                                   : apply_rule(rule, promote(promote(a, b), c));
}

}  // namespace sinter
