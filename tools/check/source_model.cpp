#include "source_model.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringSet.h>

namespace sinter_check {
using namespace clang;

namespace {

bool takes_bodies(llvm::StringRef function) {
  static const llvm::StringSet<> names{"fuse", "repeat", "repeat_while", "when", "reduce", "scan"};
  return names.contains(function);
}

}  // namespace

bool is_in_sinter(const Decl* declared) {
  const DeclContext* scope = declared->getDeclContext();
  for (; scope; scope = scope->getParent()) {
    const auto* space = dyn_cast<NamespaceDecl>(scope);
    if (space && space->getName() == "sinter" && space->getParent()->isTranslationUnit()) return true;
  }
  return false;
}

std::optional<binary> binary_of(const Expr* expression) {
  if (!expression) return {};
  expression = expression->IgnoreParenImpCasts();
  if (const auto* cleaned = dyn_cast<ExprWithCleanups>(expression))
    expression = cleaned->getSubExpr()->IgnoreParenImpCasts();
  if (const auto* built_in = dyn_cast<BinaryOperator>(expression))
    return binary{built_in->getOpcode(), built_in->getLHS(), built_in->getRHS(), built_in->getOperatorLoc()};
  const auto* call = dyn_cast<CXXOperatorCallExpr>(expression);
  if (!call || call->getNumArgs() != 2 || call->getOperator() == OO_Subscript ||
      call->getOperator() == OO_Call || call->getOperator() == OO_PlusPlus ||
      call->getOperator() == OO_MinusMinus || call->getOperator() == OO_Arrow)
    return {};
  return binary{BinaryOperator::getOverloadedOpcode(call->getOperator()), call->getArg(0), call->getArg(1),
                call->getOperatorLoc()};
}

llvm::StringRef called_function(const CallExpr* call) {
  const Expr* callee = call->getCallee()->IgnoreParenImpCasts();
  if (const auto* resolved = dyn_cast<DeclRefExpr>(callee)) {
    const auto* function = dyn_cast<FunctionDecl>(resolved->getDecl());
    return function && function->getIdentifier() && is_in_sinter(function) ? function->getName() : "";
  }
  if (const auto* overloads = dyn_cast<OverloadExpr>(callee)) {
    const IdentifierInfo* name = overloads->getName().getAsIdentifierInfo();
    if (!name) return "";
    for (const NamedDecl* candidate : overloads->decls())
      if (is_in_sinter(candidate->getUnderlyingDecl())) return name->getName();
  }
  return "";
}

const LambdaExpr* lambda_of(const Expr* argument) {
  if (!argument) return nullptr;
  argument = argument->IgnoreUnlessSpelledInSource();
  if (const auto* lambda = dyn_cast<LambdaExpr>(argument)) return lambda;
  if (const auto* named = dyn_cast<DeclRefExpr>(argument)) {
    const auto* variable = dyn_cast<VarDecl>(named->getDecl());
    if (!variable || !variable->getInit()) return nullptr;
    return dyn_cast<LambdaExpr>(variable->getInit()->IgnoreUnlessSpelledInSource());
  }
  return nullptr;
}

llvm::StringRef template_of(QualType type) {
  if (type.isNull()) return "";
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && isa<ClassTemplateSpecializationDecl>(record) &&
                 is_in_sinter(record)
             ? record->getName()
             : "";
}

bool is_operand_type(QualType type) {
  if (type.isNull()) return false;
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->isDependentType()) return false;
  record = record->getDefinition();
  return !record->forallBases([](const CXXRecordDecl* base) {
    return !(base->getIdentifier() && base->getName() == "operators_base" && is_in_sinter(base));
  });
}

/// Finds kernels and values in the order of the source, so that a variable's initialiser is known before its
/// use.
class collector : public RecursiveASTVisitor<collector> {
 public:
  explicit collector(source_model& model) : model_(model) {}

  bool VisitCallExpr(CallExpr* call) {
    const llvm::StringRef function = called_function(call);
    if (!takes_bodies(function)) return true;
    for (const Expr* argument : call->arguments()) {
      const LambdaExpr* lambda = lambda_of(argument);
      if (!lambda) continue;
      model_.kernels_.push_back({lambda, call, function == "fuse", recorded_depth_ != 0});
      recorded_.insert(lambda);
      for (const ParmVarDecl* parameter : lambda->getCallOperator()->parameters())
        if (parameter->getType()->isDependentType() || is_operand_type(parameter->getType()))
          model_.values_.insert(parameter);
    }
    return true;
  }
  bool VisitVarDecl(VarDecl* variable) {
    if (const Expr* value = variable->getInit())
      if (variable->getType()->isDependentType() || is_operand_type(variable->getType()))
        if (model_.is_value(value)) model_.values_.insert(variable);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda) {
    const bool recorded = recorded_.contains(lambda);
    recorded_depth_ += recorded;
    const bool goes_on = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    recorded_depth_ -= recorded;
    return goes_on;
  }

 private:
  source_model& model_;
  llvm::DenseSet<const LambdaExpr*> recorded_;
  unsigned recorded_depth_ = 0;
};

source_model::source_model(ASTContext& context) : context_(context) {
  const SourceManager& sources = context.getSourceManager();
  for (Decl* declared : context.getTranslationUnitDecl()->decls()) {
    const SourceLocation at = sources.getExpansionLoc(declared->getLocation());
    if (at.isInvalid() || sources.isInSystemHeader(at)) continue;
    const auto* space = dyn_cast<NamespaceDecl>(declared);
    if (space && space->getName() == "sinter" && !sources.isInMainFile(at)) continue;
    declarations_.push_back(declared);
  }
  collector collect(*this);
  // A lambda may be named before the call that records it, so its body is met before its parameters are
  // values.
  for (int pass = 0; pass < 2; ++pass) {
    kernels_.clear();
    for (Decl* declared : declarations_) collect.TraverseDecl(declared);
  }
}

bool source_model::is_value(const Expr* expression) const {
  if (!expression) return false;
  expression = expression->IgnoreParenImpCasts();
  if (isa<LambdaExpr, RequiresExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(expression)) return false;
  if (const auto* named = dyn_cast<DeclRefExpr>(expression)) {
    const ValueDecl* declared = named->getDecl();
    if (const auto* part = dyn_cast<BindingDecl>(declared))
      declared = cast<ValueDecl>(part->getDecomposedDecl());
    if (values_.contains(declared)) return true;
  }
  if (const auto* refused = dyn_cast<RecoveryExpr>(expression))
    // A condition whose conversion to bool is refused holds what was to be converted.
    return refused->subExpressions().size() == 1 && is_value(refused->subExpressions()[0]);
  if (const auto* call = dyn_cast<CXXMemberCallExpr>(expression))
    if (isa_and_nonnull<CXXConversionDecl>(call->getMethodDecl()))
      return is_value(call->getImplicitObjectArgument());
  if (!expression->isTypeDependent()) return is_operand_type(expression->getType());
  if (const auto* member = dyn_cast<CXXDependentScopeMemberExpr>(expression)) {
    // The rank is a number of C++.
    if (member->getMember().getAsString() == "rank" || member->isImplicitAccess()) return false;
    return is_value(member->getBase());
  }
  for (const Stmt* child : expression->children())
    if (const auto* part = dyn_cast_or_null<Expr>(child))
      if (is_value(part)) return true;
  return false;
}

std::string source_model::text(SourceRange range) const {
  if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID()) return {};
  return Lexer::getSourceText(CharSourceRange::getTokenRange(range), context_.getSourceManager(),
                              context_.getLangOpts())
      .str();
}

const Stmt* source_model::parent(const Stmt* child) const {
  const auto parents = context_.getParents(*child);
  return parents.empty() ? nullptr : parents[0].get<Stmt>();
}

}  // namespace sinter_check
