// A lambda without captures is recorded once: a variable that it reads keeps the value that it had then.

#include "../checks.hpp"
#include "captures.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

/// Whether a variable has static storage, in which its value may be another at the next call.
bool can_change(const VarDecl* variable) {
  return variable->hasGlobalStorage() && !variable->isConstexpr() && !variable->getType().isConstQualified();
}

/// Whether naming a variable reads it.
bool is_read_whole(const VarDecl* variable) {
  const QualType type = variable->getType();
  // Other classes are mostly functions, such as other fused ones.
  return type->isArithmeticType() || type->isEnumeralType() || type->isPointerType() ||
         template_of(type) == "array" || template_of(type) == "view";
}

/// The variable of which `a.b`, `a[i]` and `a.at(i)` read a part; null for anything else.
const DeclRefExpr* whole_of(const Expr* part) {
  for (bool is_part = false;; is_part = true) {
    part = part->IgnoreParenImpCasts();
    if (const auto* named = dyn_cast<DeclRefExpr>(part)) return is_part ? named : nullptr;
    const auto* method = dyn_cast<CXXMemberCallExpr>(part);
    const auto* op = dyn_cast<CXXOperatorCallExpr>(part);
    if (const auto* member = dyn_cast<MemberExpr>(part)) {
      part = member->getBase();
    } else if (const auto* element = dyn_cast<ArraySubscriptExpr>(part)) {
      part = element->getBase();
    } else if (op && op->getOperator() == OO_Subscript) {
      part = op->getArg(0);
    } else if (method && method->getMethodDecl() && method->getMethodDecl()->getNameAsString() == "at") {
      part = method->getImplicitObjectArgument();
    } else {
      return nullptr;
    }
  }
}

class finder : public RecursiveASTVisitor<finder> {
 public:
  explicit finder(const LambdaExpr* lambda) : lambda_(lambda) {}

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
    if (variable && is_read_whole(variable)) read(named, named);
    return true;
  }
  bool VisitExpr(Expr* part) {
    if (isa<DeclRefExpr, CastExpr, ParenExpr>(part) || part->isTypeDependent()) return true;
    const QualType type = part->getType().getNonReferenceType();
    if (type->isArithmeticType() || type->isEnumeralType())
      if (const DeclRefExpr* whole = whole_of(part)) read(whole, part);
    return true;
  }
  std::vector<const DeclRefExpr*> reads;

 private:
  void read(const DeclRefExpr* whole, const Expr* part) {
    const auto* variable = dyn_cast<VarDecl>(whole->getDecl());
    if (variable && can_change(variable) && !is_inside(variable) && !written_.contains(part))
      reads.push_back(whole);
  }
  /// Static variables of the lambda itself are sinter-changing-capture's.
  bool is_inside(const VarDecl* variable) const {
    const DeclContext* scope = variable->getDeclContext();
    while (scope && scope != lambda_->getCallOperator()) scope = scope->getParent();
    return scope != nullptr;
  }

  const LambdaExpr* lambda_;
  llvm::DenseSet<const Expr*> written_;
};

}  // namespace

void find_globals_in_stateless_lambdas(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels()) {
    if (!each.is_fused || each.is_nested || each.lambda->capture_size() != 0) continue;
    finder find(each.lambda);
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
