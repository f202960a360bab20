#pragma once
// The operators of expressions as C-like languages spell them, with their precedence.

#include <sinter/codegen/loops/ir/expression.hpp>

#include <array>

namespace sinter::inline v0::codegen {

/// A binary operator. Operands of a lower precedence than `left` and `right` stand in parentheses.
struct binary_operator {
  expression_kind kind;
  std::string_view sign;
  int precedence, left, right;
};

inline constexpr int atom_precedence = 15, prefix_precedence = 14, sum_precedence = 12, choice_precedence = 3;

inline constexpr binary_operator binary_operators[] = {
    {expression_kind::difference, " - ", sum_precedence, sum_precedence, 13},
    {expression_kind::product, " * ", 13, 13, 14},
    {expression_kind::quotient, " / ", 13, 13, 14},
    {expression_kind::remainder, " % ", 13, 13, 14},
    {expression_kind::shifted_right, " >> ", 11, 11, sum_precedence},
    {expression_kind::bits_and, " & ", 8, 8, 9},
    {expression_kind::less, " < ", 10, 10, 11},
    {expression_kind::less_equal, " <= ", 10, 10, 11},
    {expression_kind::greater, " > ", 10, 10, 11},
    {expression_kind::greater_equal, " >= ", 10, 10, 11},
    {expression_kind::equal, " == ", 9, 9, 10},
    {expression_kind::not_equal, " != ", 9, 9, 10},
    {expression_kind::both, " && ", 5, 5, 6},
    {expression_kind::either, " || ", 4, 4, 5},
};

inline constexpr auto binary_operators_by_kind = [] {
  std::array<const binary_operator*, 64> by_kind{};
  for (const binary_operator& at : binary_operators) by_kind[static_cast<std::size_t>(at.kind)] = &at;
  return by_kind;
}();

/// The operator of a kind; nullptr for what is none.
constexpr const binary_operator* binary_operator_of(expression_kind kind) {
  return binary_operators_by_kind[static_cast<std::size_t>(kind)];
}

/// The sign of an operator that stands before its operand; empty for what is none.
constexpr std::string_view prefix_of(expression_kind kind) {
  switch (kind) {
    case expression_kind::negation:
      return "!";
    case expression_kind::incremented:
      return "++";
    case expression_kind::content:
      return "*";
    case expression_kind::address:
      return "&";
    default:
      return {};
  }
}

constexpr int precedence_of(expression_kind kind) {
  switch (kind) {
    case expression_kind::sum:
      return sum_precedence;
    case expression_kind::choice:
      return choice_precedence;
    case expression_kind::negation:
    case expression_kind::incremented:
    case expression_kind::content:
    case expression_kind::address:
    case expression_kind::conversion:
      return prefix_precedence;
    default:
      break;
  }
  const binary_operator* binary = binary_operator_of(kind);
  return binary == nullptr ? atom_precedence : binary->precedence;
}

}  // namespace sinter::inline v0::codegen
