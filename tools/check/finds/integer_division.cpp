// `/` and `%` of integers do not compile, because languages disagree about them. The fixes say what C++
// means.

#include "../checks.hpp"
#include "typed_operators.hpp"

#include <map>

namespace sinter_check {
using namespace clang;

namespace {

bool is_integer(element_kind kind) { return kind == element_kind::integer || kind == element_kind::boolean; }

/// One `/` or `%` in the source, in all of its instantiations.
struct division {
  binary parts;
  const CXXOperatorCallExpr* call;
  BinaryOperatorKind op;      // without the assignment of a compound one
  bool meets_others = false;  // some operands are no integers: what C++ means for integers is wrong for them
  bool meets_integers = false;
};

std::string fix_of(const source_model& model, const division& found) {
  if (found.meets_others) return "";
  const std::string a = model.text(as_written(found.parts.left)),
                    b = model.text(as_written(found.parts.right));
  if (a.empty() || b.empty()) return "";
  const std::string fix = (found.op == BO_Div ? "trunc_divide(" : "fmod(") + a + ", " + b + ")";
  return found.op == found.parts.op ? fix : a + " = " + fix;
}

}  // namespace

void find_integer_divisions(const source_model& model, reporter& report) {
  std::map<unsigned, division> divisions;  // by the location in the source
  const auto see = [&](const binary& parts, const CXXOperatorCallExpr* call) {
    const BinaryOperatorKind op = BinaryOperator::isCompoundAssignmentOp(parts.op)
                                      ? BinaryOperator::getOpForCompoundAssignment(parts.op)
                                      : parts.op;
    if (op != BO_Div && op != BO_Rem) return;
    const bool of_integers = is_integer(element_of(model.context(), as_written(parts.left)).kind) &&
                             is_integer(element_of(model.context(), as_written(parts.right)).kind);
    division& found =
        divisions.try_emplace(parts.at.getRawEncoding(), division{parts, call, op}).first->second;
    (of_integers ? found.meets_integers : found.meets_others) = true;
  };
  typed_operators walk(see);
  walk.walk(model);
  for (const auto& [location, found] : divisions) {
    if (!found.meets_integers) continue;
    report.warn(found.parts.at,
                found.op == BO_Div
                    ? "`/` of integers: C++'s is trunc_divide(a, b), NumPy's // is floor_divide(a, "
                      "b), and true_divide(a, b) gives fractions"
                    : "`%` of integers: C++'s is fmod(a, b), and NumPy's is remainder(a, b)",
                found.call->getSourceRange(), fix_of(model, found));
  }
}

}  // namespace sinter_check
