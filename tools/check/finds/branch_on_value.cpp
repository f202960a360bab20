// Conditions are values: what tests one in C++ runs once, while recording. Fixes write the choices as
// `where`.

#include "../checks.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace sinter_check {
using namespace clang;

namespace {

/// `target op value;`, alone or in braces.
struct assignment {
  const Expr* target;
  const Expr* value;
  std::string op;  // "" or the operator of a compound assignment
};

const Stmt* only_statement(const Stmt* body) {
  const auto* block = dyn_cast_or_null<CompoundStmt>(body);
  if (!block) return body;
  return block->size() == 1 ? block->body_front() : nullptr;
}

std::optional<assignment> assignment_of(const Stmt* body) {
  const auto parts = binary_of(dyn_cast_or_null<Expr>(only_statement(body)));
  if (!parts) return {};
  if (parts->op == BO_Assign) return assignment{parts->left, parts->right, ""};
  if (!BinaryOperator::isCompoundAssignmentOp(parts->op)) return {};
  const auto op = BinaryOperator::getOpForCompoundAssignment(parts->op);
  return assignment{parts->left, parts->right, BinaryOperator::getOpcodeStr(op).str()};
}

const Expr* returned_by(const Stmt* body) {
  const auto* leaves = dyn_cast_or_null<ReturnStmt>(only_statement(body));
  return leaves ? leaves->getRetValue() : nullptr;
}

class finder : public RecursiveASTVisitor<finder> {
 public:
  finder(const source_model& model, reporter& report) : model_(model), report_(report) {}

  bool VisitIfStmt(IfStmt* branch) {
    if (branch->isConstexpr() || branch->isConsteval() || !model_.is_value(branch->getCond())) return true;
    SourceRange range = branch->getSourceRange();
    const bool is_plain = !branch->hasInitStorage() && !branch->hasVarStorage();
    const std::string choice = is_plain ? choice_for(branch, range) : "";
    report_.warn(branch->getIfLoc(),
                 "`if` on a value is decided while recording, when it has none: use where(condition, a, b), "
                 "or when(…) for sides that are expensive",
                 range, choice);
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator* choice) {
    if (!model_.is_value(choice->getCond())) return true;
    const std::string condition = model_.text(choice->getCond()), then = model_.text(choice->getTrueExpr()),
                      otherwise = model_.text(choice->getFalseExpr());
    report_.warn(choice->getQuestionLoc(),
                 "`?:` on a value is decided while recording, when it has none: use where(condition, a, b)",
                 choice->getSourceRange(), where(condition, then, otherwise));
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt* branch) {
    if (model_.is_value(branch->getCond()))
      report_.warn(branch->getSwitchLoc(),
                   "`switch` on a value is decided while recording, when it has none: use select(c1, v1, c2, "
                   "v2, otherwise)");
    return true;
  }
  bool VisitWhileStmt(WhileStmt* loop) { return loop_on(loop->getCond(), loop->getWhileLoc(), "while"); }
  bool VisitDoStmt(DoStmt* loop) { return loop_on(loop->getCond(), loop->getDoLoc(), "do"); }
  bool VisitForStmt(ForStmt* loop) { return loop_on(loop->getCond(), loop->getForLoc(), "for"); }

 private:
  bool loop_on(const Expr* condition, SourceLocation at, const std::string& word) {
    if (condition && model_.is_value(condition))
      report_.warn(at, "`" + word +
                           "` on a value is decided while recording, when it has none: use repeat(count, "
                           "state, body) or repeat_while(condition, state, body)");
    return true;
  }
  static std::string where(const std::string& condition, const std::string& then,
                           const std::string& otherwise) {
    if (condition.empty() || then.empty() || otherwise.empty()) return "";
    return "where(" + condition + ", " + then + ", " + otherwise + ")";
  }
  std::string value_of(const assignment& made) const {
    const std::string value = model_.text(made.value);
    return made.op.empty() || value.empty() ? value
                                            : model_.text(made.target) + " " + made.op + " (" + value + ")";
  }
  /// What replaces an `if`, "" for one that is more than a choice. `range` grows where it takes the next
  /// `return` in.
  std::string choice_for(const IfStmt* branch, SourceRange& range) const {
    const std::string condition = model_.text(branch->getCond());
    const Stmt* last = branch->getElse() ? branch->getElse() : branch->getThen();
    const std::string ending = isa<CompoundStmt>(last) ? ";" : "";
    if (const auto then = assignment_of(branch->getThen())) {
      const std::string target = model_.text(then->target);
      std::string otherwise = target;
      if (branch->getElse()) {
        const auto other = assignment_of(branch->getElse());
        if (!other || model_.text(other->target) != target) return "";
        otherwise = value_of(*other);
      }
      const std::string chosen = where(condition, value_of(*then), otherwise);
      return chosen.empty() ? "" : target + " = " + chosen + ending;
    }
    const Expr* then = returned_by(branch->getThen());
    if (!then) return "";
    if (branch->getElse()) {
      const Expr* other = returned_by(branch->getElse());
      const std::string chosen = other ? where(condition, model_.text(then), model_.text(other)) : "";
      return chosen.empty() ? "" : "return " + chosen + ending;
    }
    const auto* next = dyn_cast_or_null<ReturnStmt>(statement_after(branch));
    if (!next || !next->getRetValue()) return "";
    range.setEnd(next->getEndLoc());
    const std::string chosen = where(condition, model_.text(then), model_.text(next->getRetValue()));
    return chosen.empty() ? "" : "return " + chosen;
  }
  const Stmt* statement_after(const Stmt* statement) const {
    const auto* block = dyn_cast_or_null<CompoundStmt>(model_.parent(statement));
    if (!block) return nullptr;
    const auto* at = std::find(block->body_begin(), block->body_end(), statement);
    return at == block->body_end() || at + 1 == block->body_end() ? nullptr : at[1];
  }

  const source_model& model_;
  reporter& report_;
};

}  // namespace

void find_branches_on_values(const source_model& model, reporter& report) {
  finder find(model, report);
  for (Decl* declared : model.declarations()) find.TraverseDecl(declared);
}

}  // namespace sinter_check
