// Views, and pointers for them, of arrays that end before they do.

#include "../checks.hpp"
#include "../lifetimes.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

/// The call `array().data()` on an array that nothing holds.
class temporary_finder : public RecursiveASTVisitor<temporary_finder> {
 public:
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* call) {
    const CXXMethodDecl* method = call->getMethodDecl();
    if (!method || !method->getIdentifier() || method->getName() != "data") return true;
    const Expr* object = call->getImplicitObjectArgument();
    if (template_of(object->getType()) == "array" && object->IgnoreImplicit()->IgnoreParens()->isPRValue())
      temporary = object;
    return true;
  }
  const Expr* temporary = nullptr;
};

/// An array of the function itself that an expression refers to.
class local_finder : public RecursiveASTVisitor<local_finder> {
 public:
  explicit local_finder(const FunctionDecl* function) : function_(function) {}
  bool VisitDeclRefExpr(DeclRefExpr* named) {
    const auto* variable = dyn_cast<VarDecl>(named->getDecl());
    if (variable && variable->getDeclContext() == function_ && variable->hasLocalStorage() &&
        template_of(variable->getType()) == "array" && !variable->getType()->isReferenceType())
      array = variable;
    return true;
  }
  /// Numbers that are read from an array do not refer to it.
  bool TraverseStmt(Stmt* statement) {
    const auto* part = dyn_cast_or_null<Expr>(statement);
    return (part && !can_refer(part->getType())) || RecursiveASTVisitor::TraverseStmt(statement);
  }
  bool TraverseLambdaExpr(LambdaExpr*) { return true; }
  /// What a call of a fused function returns owns its elements, and so does a copy.
  bool TraverseCallExpr(CallExpr* call) {
    return template_of(call->getType()) == "array" || RecursiveASTVisitor::TraverseCallExpr(call);
  }
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr* call) {
    return template_of(call->getType()) == "array" || RecursiveASTVisitor::TraverseCXXOperatorCallExpr(call);
  }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr* call) {
    return template_of(call->getType()) == "array" || RecursiveASTVisitor::TraverseCXXMemberCallExpr(call);
  }
  const VarDecl* array = nullptr;

 private:
  static bool can_refer(QualType type) {
    // Operands of operators are wrapped together with their place in the source.
    return type->isDependentType() || type->isPointerType() || is_operand_type(type) ||
           template_of(type).starts_with("located");
  }
  const FunctionDecl* function_;
};

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, reporter& report) : model_(model), report_(report) {}

  bool VisitDeclStmt(DeclStmt* statement) {
    if (!statement->isSingleDecl()) return true;
    const auto* variable = dyn_cast<VarDecl>(statement->getSingleDecl());
    if (!variable || !variable->getInit() || variable->getType()->isDependentType()) return true;
    if (template_of(variable->getType()) != "view" && !variable->getType()->isPointerType()) return true;
    temporary_finder find;
    find.TraverseStmt(const_cast<Expr*>(variable->getInit()));
    if (!find.temporary) return true;
    const auto diagnostic =
        report_.warn(find.temporary->getBeginLoc(), "this array ends with the statement, and `" +
                                                        variable->getNameAsString() +
                                                        "` refers to its elements: give the array a name");
    const std::string text = model_.text(find.temporary);
    const std::string name = variable->getNameAsString() + "_array";
    if (!text.empty() && statement->getBeginLoc().isFileID())
      diagnostic << FixItHint::CreateInsertion(statement->getBeginLoc(),
                                               "auto " + name + " = " + text + ";\n")
                 << FixItHint::CreateReplacement(find.temporary->getSourceRange(), name);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* leaves) {
    const Expr* value = leaves->getRetValue();
    if (!value || value->isTypeDependent()) return true;
    const QualType type = value->getType();
    if (!is_operand_type(type) || template_of(type) == "array" || template_of(type) == "value") return true;
    const FunctionDecl* function = function_around(model_, leaves);
    if (!function || template_of(function->getReturnType()) == "array") return true;
    local_finder find(function);
    find.TraverseStmt(const_cast<Expr*>(value));
    if (!find.array) return true;
    const bool is_deduced = function->getDeclaredReturnType()->getContainedAutoType() != nullptr;
    const std::string text = model_.text(value);
    report_.warn(value->getBeginLoc(),
                 "`" + find.array->getNameAsString() +
                     "` ends with this function, and what it returns refers to its elements: return an array",
                 value->getSourceRange(), is_deduced && !text.empty() ? "sinter::array(" + text + ")" : "");
    return true;
  }

 private:
  const source_model& model_;
  reporter& report_;
};

}  // namespace

void find_views_of_temporaries(const source_model& model, reporter& report) {
  finder find(model, report);
  for (Decl* declared : model.declarations()) find.TraverseDecl(declared);
}

}  // namespace sinter_check
