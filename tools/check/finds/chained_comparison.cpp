// `a < x < b` compares a boolean with b. The fix compares x twice.

#include "../checks.hpp"
#include "../operand_types.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

bool is_ordering(const std::optional<binary>& parts) {
  return parts && BinaryOperator::isRelationalOp(parts->op);
}

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, reporter& report) : model_(model), report_(report) {}

  bool VisitExpr(Expr* expression) {
    if (!isa<BinaryOperator, CXXOperatorCallExpr>(expression)) return true;
    const auto outer = binary_of(expression);
    if (!is_ordering(outer)) return true;
    // (a < x) < b is meant as it stands.
    const Expr* chained = as_written(outer->left);
    if (chained->getBeginLoc() != outer->left->getBeginLoc()) return true;
    const auto inner = binary_of(chained);
    if (!is_ordering(inner)) return true;
    if (!model_.is_value(as_written(inner->left)) && !model_.is_value(as_written(inner->right))) return true;
    const std::string first = model_.text(outer->left), middle = model_.text(inner->right),
                      last = model_.text(outer->right);
    const std::string op = BinaryOperator::getOpcodeStr(outer->op).str();
    std::string both = first.empty() || middle.empty() || last.empty()
                           ? ""
                           : first + " && " + middle + " " + op + " " + last;
    if (!both.empty() && is_in_operator(expression)) both = "(" + both + ")";
    report_.warn(outer->at,
                 "a chain of comparisons compares a condition with a number: compare the middle twice",
                 expression->getSourceRange(), both);
    return true;
  }

 private:
  /// Whether an operator that binds closer than && takes the comparison.
  bool is_in_operator(const Expr* expression) const {
    const Stmt* parent = model_.parent(expression);
    while (parent && isa<ImplicitCastExpr, ExprWithCleanups, MaterializeTemporaryExpr>(parent))
      parent = model_.parent(parent);
    const auto* around = dyn_cast_or_null<Expr>(parent);
    const auto parts =
        around && isa<BinaryOperator, CXXOperatorCallExpr>(around) ? binary_of(around) : std::nullopt;
    return parts && !BinaryOperator::isLogicalOp(parts->op) && !BinaryOperator::isAssignmentOp(parts->op) &&
           parts->op != BO_Comma;
  }
  const source_model& model_;
  reporter& report_;
};

}  // namespace

void find_chained_comparisons(const source_model& model, reporter& report) {
  finder find(model, report);
  for (Decl* declared : model.declarations()) find.TraverseDecl(declared);
}

}  // namespace sinter_check
