// What a lambda does to C++ variables happens while it is recorded: once, or once a call, never for each
// element.

#include "../checks.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSet.h>

namespace sinter_check {
using namespace clang;

namespace {

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, const LambdaExpr* lambda, reporter& report)
      : model_(model), lambda_(lambda), report_(report) {}

  bool VisitVarDecl(VarDecl* variable) {
    if (variable->isStaticLocal() && !variable->getType().isConstQualified() && !variable->isConstexpr())
      report_.warn(
          variable->getLocation(),
          "`" + variable->getNameAsString() +
              "` changes while the lambda is recorded, not while its kernel runs: make it a parameter");
    return true;
  }
  bool VisitCallExpr(CallExpr* call) {
    static const llvm::StringSet<> names{"rand", "random", "drand48", "lrand48", "mrand48", "rand_r"};
    static const llvm::StringSet<> clocks{"time", "clock", "clock_gettime", "gettimeofday"};
    if (const FunctionDecl* function = call->getDirectCallee(); function && function->getIdentifier()) {
      const bool is_standard = function->isExternC() || function->isInStdNamespace();
      if (is_standard && names.contains(function->getName())) random(call);
      if ((is_standard && clocks.contains(function->getName())) || is_now_of_clock(function))
        report_.warn(call->getBeginLoc(),
                     "the time is read while the lambda is recorded: pass it as an argument");
    }
    if (const auto* draws = dyn_cast<CXXOperatorCallExpr>(call))
      if (draws->getOperator() == OO_Call && is_generator(draws->getArg(0)->getType())) random(call);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* step) {
    if (step->isIncrementDecrementOp()) changed(step->getSubExpr(), step->getOperatorLoc());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* assigned) {
    if (assigned->isAssignmentOp()) changed(assigned->getLHS(), assigned->getOperatorLoc());
    return true;
  }

 private:
  /// `now` of a class that is a clock as <chrono> has them.
  static bool is_now_of_clock(const FunctionDecl* function) {
    const auto* method = dyn_cast<CXXMethodDecl>(function);
    return method && method->isStatic() && method->getName() == "now" &&
           !method->getParent()->lookup(&function->getASTContext().Idents.get("time_point")).empty();
  }
  static bool is_generator(QualType type) {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    if (!record || !record->isInStdNamespace() || !record->getIdentifier()) return false;
    const llvm::StringRef name = record->getName();
    return name.ends_with("_engine") || name.ends_with("_distribution") || name == "random_device";
  }
  void random(const CallExpr* call) {
    report_.warn(call->getBeginLoc(),
                 "a random number is drawn while the lambda is recorded, one for all elements: use "
                 "rng::uniform(x, seed)");
  }
  void changed(const Expr* target, SourceLocation at) {
    target = target->IgnoreParenImpCasts();
    const ValueDecl* declared = nullptr;
    if (const auto* named = dyn_cast<DeclRefExpr>(target)) declared = named->getDecl();
    if (const auto* member = dyn_cast<MemberExpr>(target))
      if (isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) declared = member->getMemberDecl();
    if (!declared || !declared->getType().getNonReferenceType()->isArithmeticType() || is_inside(declared))
      return;
    report_.warn(at, "`" + declared->getNameAsString() +
                         "` changes while the lambda is recorded, not for each element or call of its "
                         "kernel: return a result instead");
  }
  bool is_inside(const ValueDecl* declared) const {
    const SourceManager& sources = model_.context().getSourceManager();
    const SourceLocation at = declared->getLocation();
    return !sources.isBeforeInTranslationUnit(at, lambda_->getBeginLoc()) &&
           sources.isBeforeInTranslationUnit(at, lambda_->getEndLoc());
  }

  const source_model& model_;
  const LambdaExpr* lambda_;
  reporter& report_;
};

}  // namespace

void find_changing_captures(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels())
    if (!each.is_nested) finder(model, each.lambda, report).TraverseStmt(each.lambda->getBody());
}

}  // namespace sinter_check
