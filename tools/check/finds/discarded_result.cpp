// Statements whose result is their point, and is dropped.

#include "../checks.hpp"
#include "../operand_types.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

namespace sinter_check {
using namespace clang;

namespace {

/// What a type's result is, for the message; "" for results that may be dropped.
std::string what_is_dropped(QualType type) {
  const llvm::StringRef name = template_of(type);
  if (name == "array") return "the array that this computes";
  if (name == "fused" || name == "fused_call") return "the function that this makes is not called and";
  if (name == "value" || is_operand_type(type)) return "the expression, which nothing evaluates,";
  const CXXRecordDecl* record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  const auto* made = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (made && made->isInStdNamespace() && (made->getName() == "tuple" || made->getName() == "pair"))
    for (const TemplateArgument& argument : made->getTemplateArgs().asArray())
      for (const TemplateArgument& part :
           argument.getKind() == TemplateArgument::Pack ? argument.pack_elements() : llvm::ArrayRef(argument))
        if (part.getKind() == TemplateArgument::Type && template_of(part.getAsType()) == "array")
          return "the arrays that this computes";
  return "";
}

bool is_copy(const CallExpr* call) {
  const auto* member = dyn_cast<CXXMemberCallExpr>(call);
  const CXXMethodDecl* method = member ? member->getMethodDecl() : nullptr;
  return method && method->getIdentifier() && is_in_sinter(method) &&
         (method->getName() == "copy" || method->getName() == "to");
}

bool is_pure_operator(const CXXOperatorCallExpr* call) {
  const OverloadedOperatorKind op = call->getOperator();
  if (op == OO_PlusPlus || op == OO_MinusMinus || call->isAssignmentOp()) return false;
  if (op == OO_Call) return is_operand_type(call->getArg(0)->getType());  // x(slice(2)); others run kernels
  return call->isTypeDependent() || (call->getDirectCallee() && is_in_sinter(call->getDirectCallee()));
}

/// Whether an expression does nothing but compute: it calls only Sinter's operators, functions and copies.
/// What other calls do is not known.
class effect_finder : public RecursiveASTVisitor<effect_finder> {
 public:
  bool VisitCallExpr(CallExpr* call) {
    const auto* op = dyn_cast<CXXOperatorCallExpr>(call);
    has_effect |= op ? !is_pure_operator(op) : called_function(call).empty() && !is_copy(call);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* step) {
    has_effect |= step->isIncrementDecrementOp();
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* assigned) {
    has_effect |= assigned->isAssignmentOp();
    return true;
  }
  bool has_effect = false;
};

bool has_effect(const Expr* expression) {
  effect_finder find;
  find.TraverseStmt(const_cast<Expr*>(expression));
  return find.has_effect;
}

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, reporter& report) : model_(model), report_(report) {}

  /// The point of a statement in `try` may be the error.
  bool TraverseCXXTryStmt(CXXTryStmt* guarded) {
    for (unsigned i = 0; i < guarded->getNumHandlers(); ++i) TraverseStmt(guarded->getHandler(i));
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt* block) {
    for (const Stmt* statement : block->body())
      if (const auto* expression = dyn_cast<Expr>(statement)) examine(expression);
    return true;
  }

 private:
  void examine(const Expr* expression) {
    const Expr* inner = expression->IgnoreImplicit()->IgnoreParens();
    if (inner->isTypeDependent()) return examine_dependent(inner);
    if (!inner->isPRValue()) return;
    const std::string what = what_is_dropped(inner->getType());
    if (!what.empty()) say(inner, what);
  }
  /// In a lambda that is not instantiated: operators and Sinter's own functions have no effect.
  void examine_dependent(const Expr* inner) {
    if (!model_.is_value(inner)) return;
    const auto parts = binary_of(inner);
    const auto* call = dyn_cast<CallExpr>(inner);
    const bool computes = parts && isa<BinaryOperator, CXXOperatorCallExpr>(inner) &&
                          !BinaryOperator::isAssignmentOp(parts->op) && parts->op != BO_Comma &&
                          parts->op != BO_Shl && parts->op != BO_Shr;
    if (computes || (call && !called_function(call).empty())) say(inner, "the value, which no result needs,");
  }
  /// With a fix that takes the statement away where it does nothing else.
  void say(const Expr* inner, const std::string& what) {
    const auto diagnostic = report_.warn(inner->getBeginLoc(), what + " is dropped");
    const auto after =
        Lexer::findLocationAfterToken(inner->getEndLoc(), tok::semi, model_.context().getSourceManager(),
                                      model_.context().getLangOpts(), false);
    if (!has_effect(inner) && inner->getBeginLoc().isFileID() && after.isValid() && after.isFileID())
      diagnostic << FixItHint::CreateRemoval(CharSourceRange::getCharRange(inner->getBeginLoc(), after));
  }
  const source_model& model_;
  reporter& report_;
};

}  // namespace

void find_discarded_results(const source_model& model, reporter& report) {
  finder find(model, report);
  for (Decl* declared : model.declarations()) find.TraverseDecl(declared);
}

}  // namespace sinter_check
