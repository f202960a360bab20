#pragma once
// What the checks know of a translation unit: which lambdas become kernels, and which expressions are
// operands of Sinter in code whose types are not known yet.

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/DenseSet.h>

#include <optional>
#include <string>
#include <vector>

namespace sinter_check {

/// A lambda that Sinter records: an argument of `fuse`, `repeat`, `reduce` and their like.
struct kernel {
  const clang::LambdaExpr* lambda;
  const clang::CallExpr* call;  // of the function that takes it
  bool is_fused;                // by fuse; others are bodies
  bool is_nested;               // within another lambda that is recorded
};

/// Both sides of `a op b`, whether the operator is built in, overloaded or not resolved yet.
struct binary {
  clang::BinaryOperatorKind op;
  const clang::Expr* left;
  const clang::Expr* right;
  clang::SourceLocation at;
};
std::optional<binary> binary_of(const clang::Expr* expression);

/// Whether something is declared in Sinter's namespace.
bool is_in_sinter(const clang::Decl* declared);
/// The name of a called function of Sinter, also where overloads are not resolved; else "".
llvm::StringRef called_function(const clang::CallExpr* call);
/// The lambda that an argument is, or that the named variable holds; else null.
const clang::LambdaExpr* lambda_of(const clang::Expr* argument);
/// Whether a type is a value, array, view or lazy expression.
bool is_operand_type(clang::QualType type);
/// The name of the class template of Sinter that a type is made of, as in "array"; else "".
llvm::StringRef template_of(clang::QualType type);

class source_model {
 public:
  explicit source_model(clang::ASTContext& context);

  clang::ASTContext& context() const { return context_; }
  /// Declarations of the program: those of system headers and of Sinter's own are left out.
  const std::vector<clang::Decl*>& declarations() const { return declarations_; }
  const std::vector<kernel>& kernels() const { return kernels_; }
  /// Whether an expression is an operand: by its type, or, where that depends on a template, because it is
  /// computed from a parameter of a recorded lambda.
  bool is_value(const clang::Expr* expression) const;
  bool is_value(const clang::ValueDecl* declared) const { return values_.contains(declared); }
  /// The source text of what is written at a range; "" where a macro takes part.
  std::string text(clang::SourceRange range) const;
  std::string text(const clang::Stmt* written) const { return text(written->getSourceRange()); }
  const clang::Stmt* parent(const clang::Stmt* child) const;

 private:
  friend class collector;
  clang::ASTContext& context_;
  std::vector<clang::Decl*> declarations_;
  std::vector<kernel> kernels_;
  llvm::DenseSet<const clang::ValueDecl*> values_;
};

}  // namespace sinter_check
