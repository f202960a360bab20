#include "lifetimes.hpp"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

/// Where a variable goes by name: `return f;`, `member_ = f;`.
class use_finder : public RecursiveASTVisitor<use_finder> {
 public:
  explicit use_finder(const VarDecl* variable) : variable_(variable) {}

  bool VisitReturnStmt(ReturnStmt* leaves) {
    if (is_variable(leaves->getRetValue())) found = destination::returned;
    return true;
  }
  bool VisitExpr(Expr* expression) {
    const auto assigned = binary_of(expression);
    if (assigned && assigned->op == BO_Assign && is_variable(assigned->right) &&
        isa<MemberExpr>(assigned->left->IgnoreParenImpCasts()))
      found = destination::member;
    return true;
  }
  destination found = destination::nowhere;

 private:
  bool is_variable(const Expr* expression) const {
    if (!expression) return false;
    expression = expression->IgnoreUnlessSpelledInSource();
    if (const auto* call = dyn_cast<CallExpr>(expression))  // std::move(f)
      if (call->isCallToStdMove()) expression = call->getArg(0)->IgnoreUnlessSpelledInSource();
    const auto* named = dyn_cast<DeclRefExpr>(expression);
    return named && named->getDecl() == variable_;
  }
  const VarDecl* variable_;
};

destination destination_of_variable(const source_model& model, const VarDecl* variable, const Stmt* inner) {
  if (variable->hasGlobalStorage()) return destination::static_storage;
  const FunctionDecl* function = function_around(model, inner);
  if (!function || !function->getBody()) return destination::nowhere;
  use_finder uses(variable);
  uses.TraverseStmt(function->getBody());
  return uses.found;
}

destination destination_of_assignment(const Expr* left) {
  left = left->IgnoreParenImpCasts();
  if (isa<MemberExpr>(left)) return destination::member;
  const auto* named = dyn_cast<DeclRefExpr>(left);
  const auto* variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
  return variable && variable->hasGlobalStorage() ? destination::static_storage : destination::nowhere;
}

/// Whether an expression passes on the fused function inside of it, as a conversion or `.fast()` does.
bool passes_on(const Stmt* parent, const Stmt* child) {
  if (isa<ImplicitCastExpr, ExprWithCleanups, CXXBindTemporaryExpr, MaterializeTemporaryExpr,
          CXXConstructExpr, CXXFunctionalCastExpr, ParenExpr, InitListExpr, CXXDefaultInitExpr>(parent))
    return true;
  if (isa<MemberExpr>(parent)) return template_of(cast<Expr>(child)->getType()) == "fused";
  const auto* call = dyn_cast<CXXMemberCallExpr>(parent);
  return call && call->getCallee() == child && template_of(call->getType()) == "fused";
}

}  // namespace

const FunctionDecl* function_around(const source_model& model, const Stmt* inner) {
  DynTypedNode at = DynTypedNode::create(*inner);
  for (;;) {
    const auto parents = model.context().getParents(at);
    if (parents.empty()) return nullptr;
    at = parents[0];
    if (const auto* function = at.get<FunctionDecl>()) return function;
    if (const auto* lambda = at.get<LambdaExpr>()) return lambda->getCallOperator();
  }
}

destination destination_of(const source_model& model, const Expr* made) {
  const Stmt* at = made;
  for (;;) {
    const auto parents = model.context().getParents(*at);
    if (parents.empty()) return destination::nowhere;
    const DynTypedNode& node = parents[0];
    if (node.get<FieldDecl>() || node.get<CXXCtorInitializer>()) return destination::member;
    // A constructor is the parent of its initialisers.
    if (node.get<CXXConstructorDecl>()) return destination::member;
    if (const auto* variable = node.get<VarDecl>()) return destination_of_variable(model, variable, at);
    const auto* parent = node.get<Stmt>();
    if (!parent) return destination::nowhere;
    if (isa<ReturnStmt>(parent)) return destination::returned;
    if (const auto* expression = dyn_cast<Expr>(parent)) {
      const auto assigned = binary_of(expression);
      if (assigned && assigned->op == BO_Assign) return destination_of_assignment(assigned->left);
    }
    if (isa<DeclStmt>(parent) || !passes_on(parent, at)) return destination::nowhere;
    at = parent;
  }
}

const char* phrase_of(destination where) {
  switch (where) {
    case destination::returned:
      return "is returned";
    case destination::member:
      return "is kept in a member";
    case destination::static_storage:
      return "is kept in a static variable";
    default:
      return "";
  }
}

}  // namespace sinter_check
