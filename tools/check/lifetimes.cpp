#include "lifetimes.hpp"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSet.h>

namespace sinter_check {
using namespace clang;

namespace {

/// A variable that is stored in another, which is returned, is three steps; more are not followed.
constexpr int max_steps = 4;

destination destination_of(const source_model& model, const Expr* held, int steps);

/// Where a local variable goes by name: `return f;`, `member_ = f;`, `[f] { … }`.
class use_finder : public RecursiveASTVisitor<use_finder> {
 public:
  use_finder(const source_model& model, const VarDecl* variable, int steps)
      : model_(model), variable_(variable), steps_(steps) {}

  bool VisitDeclRefExpr(DeclRefExpr* named) {
    if (found == destination::nowhere && named->getDecl() == variable_)
      found = destination_of(model_, named, steps_);
    return true;
  }
  destination found = destination::nowhere;

 private:
  const source_model& model_;
  const VarDecl* variable_;
  int steps_;
};

destination destination_of_variable(const source_model& model, const VarDecl* variable, int steps) {
  if (variable->hasGlobalStorage()) return destination::static_storage;
  const auto* function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  if (!function || !function->getBody() || steps == max_steps) return destination::nowhere;
  use_finder uses(model, variable, steps + 1);
  uses.TraverseStmt(function->getBody());
  return uses.found;
}

/// The object that `a.b`, `a->b`, `a[i]`, `*a` and `a.at(i)` are a part of.
const Expr* object_of(const Expr* part) {
  const auto* op = dyn_cast<CXXOperatorCallExpr>(part);
  const auto* method = dyn_cast<CXXMemberCallExpr>(part);
  if (const auto* member = dyn_cast<MemberExpr>(part)) return member->getBase();
  if (const auto* element = dyn_cast<ArraySubscriptExpr>(part)) return element->getBase();
  if (const auto* pointed = dyn_cast<UnaryOperator>(part))
    return pointed->getOpcode() == UO_Deref ? pointed->getSubExpr() : nullptr;
  if (op &&
      (op->getOperator() == OO_Subscript || op->getOperator() == OO_Star || op->getOperator() == OO_Arrow))
    return op->getArg(0);
  return method ? method->getImplicitObjectArgument() : nullptr;
}

/// Where an object ends up that takes the fused function: the left of an assignment, or a container.
destination destination_of_holder(const source_model& model, const Expr* holder, int steps) {
  bool is_part = false;
  for (;;) {
    holder = holder->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(holder)) return destination::member;
    if (const auto* named = dyn_cast<DeclRefExpr>(holder)) {
      const auto* variable = dyn_cast<VarDecl>(named->getDecl());
      if (!variable) return destination::nowhere;
      if (variable->getType()->isReferenceType() || (is_part && variable->getType()->isPointerType()))
        return is_part ? destination::member : destination::argument;
      return destination_of_variable(model, variable, steps);
    }
    const Expr* object = object_of(holder);
    if (!object) return destination::nowhere;
    is_part |= isa<MemberExpr>(holder) || object->getType()->isPointerType();
    holder = object;
  }
}

/// Whether a function of the standard library makes an object that holds its arguments.
bool holds_arguments(const CallExpr* call) {
  static const llvm::StringSet<> names{"make_shared", "make_unique", "make_pair",
                                       "make_tuple",  "move",        "forward"};
  const FunctionDecl* function = call->getDirectCallee();
  return function && function->isInStdNamespace() && function->getIdentifier() &&
         names.contains(function->getName());
}

/// Whether an expression passes on the fused function inside of it, as a conversion or `.fast()` does.
bool passes_on(const Stmt* parent, const Stmt* child) {
  if (isa<ImplicitCastExpr, ExprWithCleanups, CXXBindTemporaryExpr, MaterializeTemporaryExpr,
          CXXConstructExpr, CXXFunctionalCastExpr, ParenExpr, InitListExpr, CXXDefaultInitExpr>(parent))
    return true;
  if (const auto* lambda = dyn_cast<LambdaExpr>(parent)) return child != lambda->getBody();  // a capture
  if (isa<MemberExpr>(parent)) return template_of(cast<Expr>(child)->getType()) == "fused";
  if (const auto* method = dyn_cast<CXXMemberCallExpr>(parent))
    return method->getCallee() == child && template_of(method->getType()) == "fused";
  const auto* call = dyn_cast<CallExpr>(parent);
  return call && (holds_arguments(call) || called_function(call) == "fuse");
}

/// The container that a call like `layers_.push_back(f)` adds an argument to; null for other calls.
const Expr* container_of(const Expr* expression, const Stmt* argument) {
  static const llvm::StringSet<> names{"push_back",        "push_front",    "push",   "emplace",
                                       "emplace_back",     "emplace_front", "insert", "assign",
                                       "insert_or_assign", "try_emplace",   "reset"};
  const auto* call = dyn_cast<CXXMemberCallExpr>(expression);
  if (!call || call->getCallee() == argument || !call->getMethodDecl()) return nullptr;
  return names.contains(call->getMethodDecl()->getNameAsString()) ? call->getImplicitObjectArgument()
                                                                  : nullptr;
}

destination destination_of(const source_model& model, const Expr* held, int steps) {
  DynTypedNode at = DynTypedNode::create(*held);
  for (;;) {
    const auto parents = model.context().getParents(at);
    if (parents.empty()) return destination::nowhere;
    const DynTypedNode node = parents[0];
    // A constructor is the parent of its initialisers.
    if (node.get<FieldDecl>() || node.get<CXXCtorInitializer>() || node.get<CXXConstructorDecl>())
      return destination::member;
    if (const auto* variable = node.get<VarDecl>()) {
      if (!variable->isInitCapture()) return destination_of_variable(model, variable, steps);
      at = node;  // of the lambda that captures it
      continue;
    }
    const auto *parent = node.get<Stmt>(), *child = at.get<Stmt>();
    if (!parent) return destination::nowhere;
    if (isa<ReturnStmt>(parent)) return destination::returned;
    if (const auto* expression = dyn_cast<Expr>(parent)) {
      const auto assigned = binary_of(expression);
      if (assigned && assigned->op == BO_Assign)
        return assigned->left == child ? destination::nowhere
                                       : destination_of_holder(model, assigned->left, steps);
      if (const Expr* container = container_of(expression, child))
        return destination_of_holder(model, container, steps);
    }
    if (child && !passes_on(parent, child)) return destination::nowhere;
    at = node;
  }
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
  return destination_of(model, made, 0);
}

const char* phrase_of(destination where) {
  switch (where) {
    case destination::returned:
      return "is returned";
    case destination::member:
      return "is kept in a member";
    case destination::static_storage:
      return "is kept in a static variable";
    case destination::argument:
      return "is kept in an argument";
    default:
      return "";
  }
}

}  // namespace sinter_check
