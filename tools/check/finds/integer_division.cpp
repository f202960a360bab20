// `/` and `%` of integers do not compile, because languages disagree about them. The fixes say what C++
// means.

#include "../checks.hpp"
#include "typed_operators.hpp"

namespace sinter_check {
using namespace clang;

namespace {

bool is_integer(element_kind kind) { return kind == element_kind::integer || kind == element_kind::boolean; }

}  // namespace

void find_integer_divisions(const source_model& model, reporter& report) {
  const auto see = [&](const binary& parts, const CXXOperatorCallExpr* call) {
    const BinaryOperatorKind op = BinaryOperator::isCompoundAssignmentOp(parts.op)
                                      ? BinaryOperator::getOpForCompoundAssignment(parts.op)
                                      : parts.op;
    if (op != BO_Div && op != BO_Rem) return;
    const Expr *left = as_written(parts.left), *right = as_written(parts.right);
    if (!is_integer(element_of(model.context(), left).kind) ||
        !is_integer(element_of(model.context(), right).kind))
      return;
    const std::string a = model.text(left), b = model.text(right);
    const std::string name = op == BO_Div ? "trunc_divide" : "fmod";
    std::string fix = a.empty() || b.empty() ? "" : name + "(" + a + ", " + b + ")";
    if (!fix.empty() && op != parts.op) fix = a + " = " + fix;
    report.warn(parts.at,
                op == BO_Div ? "`/` of integers: C++'s is trunc_divide(a, b), NumPy's // is floor_divide(a, "
                               "b), and true_divide(a, b) gives fractions"
                             : "`%` of integers: C++'s is fmod(a, b), and NumPy's is remainder(a, b)",
                call->getSourceRange(), fix);
  };
  typed_operators walk(see);
  walk.walk(model);
}

}  // namespace sinter_check
