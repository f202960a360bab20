#pragma once
// The operators on operands in code that is instantiated, where types are known.

#include "../operand_types.hpp"
#include "../source_model.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {

/// Calls `see(parts, expression)` for each binary operator on operands, in every instantiation.
template <class See>
class typed_operators : public clang::RecursiveASTVisitor<typed_operators<See>> {
 public:
  explicit typed_operators(See see) : see_(std::move(see)) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->isTypeDependent() || call->getNumArgs() != 2) return true;
    if (const auto parts = binary_of(call)) see_(*parts, call);
    return true;
  }
  /// Visits the program's declarations, all instantiations of its templates included.
  void walk(const source_model& model) {
    for (clang::Decl* declared : model.declarations()) this->TraverseDecl(declared);
  }

 private:
  See see_;
};

}  // namespace sinter_check
