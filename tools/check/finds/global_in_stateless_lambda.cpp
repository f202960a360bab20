// A lambda without captures is recorded once: a variable that it reads keeps the value that it had then.

#include "../checks.hpp"
#include "captures.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

bool can_change(const VarDecl* variable) {
  const QualType type = variable->getType();
  if (!variable->hasGlobalStorage() || variable->isConstexpr() || type.isConstQualified()) return false;
  // Other classes are mostly functions, such as other fused ones.
  return type->isArithmeticType() || type->isEnumeralType() || type->isPointerType() ||
         template_of(type) == "array" || template_of(type) == "view";
}

class finder : public RecursiveASTVisitor<finder> {
 public:
  /// What is written is sinter-changing-capture's.
  bool VisitUnaryOperator(UnaryOperator* step) {
    if (step->isIncrementDecrementOp()) written_.insert(step->getSubExpr()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* assigned) {
    if (assigned->isAssignmentOp()) written_.insert(assigned->getLHS()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* named) {
    const auto* variable = dyn_cast<VarDecl>(named->getDecl());
    if (!variable || !can_change(variable) || variable->isStaticLocal() || written_.contains(named))
      return true;
    reads.push_back(named);
    return true;
  }
  std::vector<const DeclRefExpr*> reads;

 private:
  llvm::DenseSet<const Expr*> written_;
};

}  // namespace

void find_globals_in_stateless_lambdas(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels()) {
    if (!each.is_fused || each.is_nested || each.lambda->capture_size() != 0) continue;
    finder find;
    find.TraverseStmt(each.lambda->getBody());
    std::string captures;
    bool all_plain = true;
    llvm::DenseSet<const ValueDecl*> seen;
    for (const DeclRefExpr* read : find.reads) {
      all_plain &= !read->hasQualifier();
      if (!seen.insert(read->getDecl()).second) continue;
      const std::string name = read->getDecl()->getNameAsString();
      captures += (captures.empty() ? "&" : ", &") + name + " = " + name;
    }
    std::string fix = all_plain ? with_captures(model, each.lambda, captures) : "";
    for (const DeclRefExpr* read : find.reads) {
      if (!seen.erase(read->getDecl())) continue;
      report.warn(read->getLocation(),
                  "`" + read->getDecl()->getNameAsString() +
                      "` is read once, when this lambda without captures is recorded: capture it, and each "
                      "call reads it",
                  each.lambda->getIntroducerRange(), fix);
      fix.clear();  // one fix serves all of them
    }
  }
}

}  // namespace sinter_check
