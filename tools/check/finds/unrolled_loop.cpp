// A C++ loop puts each of its iterations into the kernel; `repeat` has one body.

#include "../checks.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

std::optional<std::int64_t> constant(const source_model& model, const Expr* expression) {
  if (!expression || expression->isValueDependent()) return {};
  Expr::EvalResult result;
  if (!expression->EvaluateAsInt(result, model.context())) return {};
  return result.Val.getInt().getExtValue();
}

struct counted_loop {
  const VarDecl* counter;  // null for a loop over a range
  std::int64_t iterations;
  std::string count;  // as the source has it, where the loop counts from 0 by 1; else ""
};

bool names(const Expr* expression, const VarDecl* variable) {
  const auto* named = dyn_cast_or_null<DeclRefExpr>(expression ? expression->IgnoreParenImpCasts() : nullptr);
  return named && named->getDecl() == variable;
}

std::optional<std::int64_t> step_of(const source_model& model, const Expr* increment,
                                    const VarDecl* counter) {
  if (const auto* step = dyn_cast_or_null<UnaryOperator>(increment))
    if (names(step->getSubExpr(), counter)) return step->isIncrementOp() ? 1 : -1;
  const auto parts = binary_of(increment);
  if (!parts || !names(parts->left, counter) || (parts->op != BO_AddAssign && parts->op != BO_SubAssign))
    return {};
  const auto step = constant(model, parts->right);
  if (!step) return {};
  return parts->op == BO_AddAssign ? *step : -*step;
}

std::optional<counted_loop> counted(const source_model& model, const ForStmt* loop) {
  const auto* start = dyn_cast_or_null<DeclStmt>(loop->getInit());
  if (!start || !start->isSingleDecl()) return {};
  const auto* counter = dyn_cast<VarDecl>(start->getSingleDecl());
  const auto condition = binary_of(loop->getCond());
  if (!counter || !condition || !names(condition->left, counter)) return {};
  const auto first = constant(model, counter->getInit()), last = constant(model, condition->right),
             step = step_of(model, loop->getInc(), counter);
  if (!first || !last || !step || *step == 0) return {};
  std::int64_t distance = *step > 0 ? *last - *first : *first - *last;
  if (condition->op == BO_LE || condition->op == BO_GE) ++distance;
  const std::int64_t size = *step > 0 ? *step : -*step;
  const std::int64_t iterations = distance <= 0 ? 0 : (distance + size - 1) / size;
  const bool is_plain = *first == 0 && *step == 1 && condition->op == BO_LT;
  return counted_loop{counter, iterations, is_plain ? model.text(condition->right) : ""};
}

/// A loop over an array, a std::array or a list, whose size its type says.
std::optional<counted_loop> counted(const source_model& model, const CXXForRangeStmt* loop) {
  const auto known = [](std::int64_t size) { return counted_loop{nullptr, size, ""}; };
  const Expr* range = loop->getRangeInit();
  if (!range) return {};
  range = range->IgnoreUnlessSpelledInSource();
  if (const auto* list = dyn_cast<InitListExpr>(range)) return known(list->getNumInits());
  if (range->isTypeDependent()) return {};
  const QualType type = range->getType().getNonReferenceType();
  if (const auto* array = model.context().getAsConstantArrayType(type))
    return known(array->getSize().getSExtValue());
  const auto* record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!record || !record->isInStdNamespace() || record->getName() != "array") return {};
  return known(record->getTemplateArgs()[1].getAsIntegral().getExtValue());
}

/// Looks whether a loop computes with values, and whether it uses its counter.
class use_finder : public RecursiveASTVisitor<use_finder> {
 public:
  use_finder(const source_model& model, const VarDecl* counter) : model_(model), counter_(counter) {}
  bool VisitExpr(Expr* expression) {
    uses_values |= model_.is_value(expression);
    uses_counter |= !counter_ || names(expression, counter_);
    return true;
  }
  bool uses_values = false, uses_counter = false;

 private:
  const source_model& model_;
  const VarDecl* counter_;
};

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, reporter& report) : model_(model), report_(report) {}
  bool TraverseForStmt(ForStmt* loop) {
    const auto known = counted(model_, loop);
    return enter(known, loop->getForLoc(), loop, loop->getBody(),
                 [&] { return RecursiveASTVisitor::TraverseForStmt(loop); });
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt* loop) {
    const auto known = counted(model_, loop);
    return enter(known, loop->getForLoc(), loop, loop->getBody(),
                 [&] { return RecursiveASTVisitor::TraverseCXXForRangeStmt(loop); });
  }

 private:
  /// Counts with the loops around. Of a nest, the outermost loop that is past the bound is found, and none
  /// inside of it.
  template <class Traverse>
  bool enter(const std::optional<counted_loop>& known, SourceLocation at, Stmt* loop, Stmt* body,
             const Traverse& traverse) {
    if (!known) return traverse();
    const std::int64_t around = iterations_;
    if (__builtin_mul_overflow(around, known->iterations, &iterations_)) iterations_ = INT64_MAX;
    const bool is_past = iterations_ > report_.max_iterations() && warn(*known, at, loop, body);
    const bool goes_on = is_past || traverse();
    iterations_ = around;
    return goes_on;
  }
  /// Whether the loop computes with values, so that its body goes into the kernel.
  bool warn(const counted_loop& known, SourceLocation at, Stmt* loop, Stmt* body) {
    use_finder uses(model_, known.counter);
    uses.TraverseStmt(body);
    if (!uses.uses_values) return false;
    const auto* plain = dyn_cast<ForStmt>(loop);
    report_.warn(at,
                 "this loop puts its body into the kernel " + std::to_string(iterations_) +
                     " times: repeat(count, state, body) puts it there once",
                 loop->getSourceRange(), plain && !uses.uses_counter ? as_repeat(plain, known) : "");
    return true;
  }
  /// `y = repeat(n, y, [&](auto y) { return …; })` for a loop that assigns to one value.
  std::string as_repeat(const ForStmt* loop, const counted_loop& known) const {
    const Stmt* body = loop->getBody();
    const auto* block = dyn_cast<CompoundStmt>(body);
    if (block) body = block->size() == 1 ? block->body_front() : nullptr;
    const auto parts = binary_of(dyn_cast_or_null<Expr>(body));
    if (!parts || known.count.empty() || !BinaryOperator::isAssignmentOp(parts->op)) return "";
    if (!isa<DeclRefExpr>(parts->left->IgnoreParenImpCasts()) || !model_.is_value(parts->left)) return "";
    const std::string state = model_.text(parts->left);
    std::string next = model_.text(parts->right);
    if (state.empty() || next.empty()) return "";
    if (parts->op != BO_Assign) {
      const auto op = BinaryOperator::getOpForCompoundAssignment(parts->op);
      next = state + " " + BinaryOperator::getOpcodeStr(op).str() + " (" + next + ")";
    }
    return state + " = repeat(" + known.count + ", " + state + ", [&](auto " + state + ") { return " + next +
           "; })" + (block ? ";" : "");
  }
  const source_model& model_;
  reporter& report_;
  std::int64_t iterations_ = 1;  // of the counted loops around
};

}  // namespace

void find_unrolled_loops(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels())
    if (!each.is_nested) finder(model, report).TraverseStmt(each.lambda->getBody());
}

}  // namespace sinter_check
