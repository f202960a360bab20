#pragma once
// Element types of operands, in code that is instantiated.

#include <clang/AST/Expr.h>

#include <string>

namespace sinter_check {

enum class element_kind { none, boolean, integer, floating, float64 };

struct element {
  element_kind kind = element_kind::none;
  bool is_weak = false;  // a number of C++, or computed from such alone
};

/// The elements of an operand or the kind of a number; none for anything else.
element element_of(const clang::ASTContext& context, const clang::Expr* operand);
/// An expression without the conversions that calls of operators and functions add.
const clang::Expr* as_written(const clang::Expr* expression);

}  // namespace sinter_check
