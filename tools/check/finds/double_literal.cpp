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
  bool widens_floats = false;  // a value that is computed with it meets float elements
  bool meets_doubles = false;  // in another instantiation, where a literal of float would lose digits
};

/// The literals that an expression is computed with, also by the variables that it names.
class literal_finder : public RecursiveASTVisitor<literal_finder> {
 public:
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitFloatingLiteral(FloatingLiteral* literal) {
    found.push_back(literal);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* named) {
    const auto* variable = dyn_cast<VarDecl>(named->getDecl());
    if (variable && variable->isLocalVarDecl() && variable->getInit() && seen_.insert(variable).second)
      TraverseStmt(const_cast<Expr*>(variable->getInit()));
    return true;
  }
  std::vector<const FloatingLiteral*> found;

 private:
  llvm::DenseSet<const VarDecl*> seen_;
};

class literal_table {
 public:
  explicit literal_table(const source_model& model) : model_(model) {}

  void see(const binary& parts) {
    const Expr *left = as_written(parts.left), *right = as_written(parts.right);
    const element a = element_of(model_.context(), left), b = element_of(model_.context(), right);
    if (is_floats(a) && is_doubles(b)) widens(right);
    if (is_floats(b) && is_doubles(a)) widens(left);
    if (!is_arithmetic(parts.op)) return;
    if (const FloatingLiteral* literal = double_literal(left)) meets(literal, b);
    if (const FloatingLiteral* literal = double_literal(right)) meets(literal, a);
  }
  const std::map<unsigned, uses>& literals() const { return literals_; }

 private:
  static bool is_floats(element met) { return met.kind == element_kind::floating && !met.is_weak; }
  static bool is_doubles(element met) { return met.kind == element_kind::float64 && !met.is_weak; }

  uses& uses_of(const FloatingLiteral* literal) {
    return literals_.try_emplace(literal->getLocation().getRawEncoding(), uses{literal}).first->second;
  }
  void widens(const Expr* operand) {
    literal_finder find;
    find.TraverseStmt(const_cast<Expr*>(operand));
    for (const FloatingLiteral* literal : find.found) uses_of(literal).widens_floats = true;
  }
  void meets(const FloatingLiteral* literal, element met) {
    uses& known = uses_of(literal);
    known.meets_integers |= met.kind == element_kind::integer && !met.is_weak;
    known.meets_doubles |= is_doubles(met);
  }

  const source_model& model_;
  std::map<unsigned, uses> literals_;  // by the location in the source
};

}  // namespace

void find_double_literals(const source_model& model, reporter& report) {
  literal_table table(model);
  const auto see = [&](const binary& parts, const CXXOperatorCallExpr*) { table.see(parts); };
  typed_operators walk(see);
  walk.walk(model);
  for (const auto& [location, known] : table.literals()) {
    if (!known.meets_integers || !known.widens_floats || known.meets_doubles) continue;
    const std::string text = model.text(known.literal);
    report.warn(known.literal->getLocation(),
                "`" + text + "` makes integers double, and the floats that they meet: `" + text +
                    "f` makes them float",
                known.literal->getSourceRange(), text.empty() ? "" : text + "f");
  }
}

}  // namespace sinter_check
