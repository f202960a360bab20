#pragma once
// What passes that copy or change parts of a tree have in common.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <functional>
#include <optional>

namespace sinter::inline v0::codegen {

/// Gives what takes the place of an expression, or nothing where its operands are to be looked at.
using expression_change = std::function<std::optional<expression>(expression)>;

/// An expression with changed parts. What has none is the same expression.
expression rewritten(expression_table& table, expression at, const expression_change& change);
/// Rewrites the expressions of one statement, not those in its body.
void rewrite(loop_tree& tree, statement& at, const expression_change& change);

/// A copy of a list and all that is in it. `change` may change each statement before its body is copied.
statement_id copy_list(loop_tree& tree, statement_id first, const std::function<void(statement&)>& change);

/// Flattens the scopes in a list that declare nothing, at all depths.
statement_id without_idle_scopes(loop_tree& tree, statement_id first);

/// A list with another one in it: behind its last let, which is where positions are known.
statement_id with_list_behind_lets(loop_tree& tree, statement_id first, statement_id inserted);

/// The last statement of a list; no_statement of none.
statement_id last_of(const loop_tree& tree, statement_id first);
/// Appends a statement to the tree, in no list yet.
statement_id add_statement(loop_tree& tree, statement made);

/// A list that statements are appended to.
class statement_list {
 public:
  explicit statement_list(loop_tree& tree) : tree_(tree) {}
  /// Appends a list. Its statements must be in no other one.
  void append(statement_id list);
  /// Appends a statement of a list, which is left without it.
  void take(statement_id one) {
    tree_[one].next = no_statement;
    append(one);
  }
  void add(const statement& made) { append(add_statement(tree_, made)); }
  statement_id first() const { return first_; }

 private:
  loop_tree& tree_;
  statement_id first_ = no_statement, last_ = no_statement;
};

}  // namespace sinter::inline v0::codegen
