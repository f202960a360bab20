// A literal is weak: `2.5 * x` keeps float elements. Beside integers it has its C++ type, so that `2.5 * k`
// is double, and with it what meets the product.

#include "../checks.hpp"
#include "typed_operators.hpp"

#include <map>

namespace sinter_check {
using namespace clang;

namespace {

const FloatingLiteral* double_literal(const Expr* expression) {
  if (const auto* sign = dyn_cast<UnaryOperator>(expression))
    if (sign->getOpcode() == UO_Minus || sign->getOpcode() == UO_Plus)
      expression = as_written(sign->getSubExpr());
  const auto* literal = dyn_cast<FloatingLiteral>(expression);
  const auto* type = literal ? literal->getType()->getAs<BuiltinType>() : nullptr;
  return type && type->getKind() == BuiltinType::Double ? literal : nullptr;
}

bool is_arithmetic(BinaryOperatorKind op) {
  return op == BO_Add || op == BO_Sub || op == BO_Mul || op == BO_Div;
}

struct uses {
  const FloatingLiteral* literal;
  bool meets_integers = false;
  bool meets_doubles = false;  // in another instantiation, where a literal of float would lose digits
};

}  // namespace

void find_double_literals(const source_model& model, reporter& report) {
  std::map<unsigned, uses> literals;  // by the offset in the file
  const auto see = [&](const binary& parts, const CXXOperatorCallExpr*) {
    if (!is_arithmetic(parts.op)) return;
    const Expr *left = as_written(parts.left), *right = as_written(parts.right);
    const FloatingLiteral* literal = double_literal(left);
    const Expr* other = literal ? right : left;
    if (!literal) literal = double_literal(right);
    if (!literal || !literal->getLocation().isFileID()) return;
    const element met = element_of(model.context(), other);
    uses& known = literals.try_emplace(literal->getLocation().getRawEncoding(), uses{literal}).first->second;
    known.meets_integers |= met.kind == element_kind::integer && !met.is_weak;
    known.meets_doubles |= met.kind == element_kind::float64;
  };
  typed_operators walk(see);
  walk.walk(model);
  for (const auto& [offset, known] : literals) {
    if (!known.meets_integers || known.meets_doubles) continue;
    const std::string text = model.text(known.literal);
    report.warn(known.literal->getLocation(),
                "`" + text + "` makes these integers double: `" + text +
                    "f` makes them float, and `astype<T>` says what is meant",
                known.literal->getSourceRange(), text.empty() ? "" : text + "f");
  }
}

}  // namespace sinter_check
