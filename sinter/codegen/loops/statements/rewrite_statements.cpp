#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0::codegen {

expression rewritten(expression_table& table, expression at, const expression_change& change) {
  if (const std::optional<expression> made = change(at); made.has_value()) return *made;
  const expression_node node = table[at.id];
  if (node.kind == expression_kind::name) return at;
  std::vector<expression> operands;
  bool changed = false;
  // the table grows while operands are made
  for (std::uint32_t i = 0; i < node.operand_count; ++i) {
    const std::uint32_t operand = table.operands_of(at.id)[i];
    operands.push_back(rewritten(table, table.at(operand), change));
    changed |= operands.back().id != operand;
  }
  return changed ? table.make(node.kind, operands, node.value, node.type) : at;
}

void rewrite(loop_tree& tree, statement& at, const expression_change& change) {
  for (expression statement::* const part : expressions_of_statements)
    if ((at.*part).is_set()) at.*part = rewritten(tree.expressions, at.*part, change);
}

statement_id copy_list(loop_tree& tree, statement_id first, const std::function<void(statement&)>& change) {
  statement_list copied(tree);
  for (statement_id id = first; id != no_statement; id = tree[id].next) {
    statement made = tree[id];
    change(made);
    made.body = copy_list(tree, made.body, change);
    made.otherwise = copy_list(tree, made.otherwise, change);
    copied.add(made);
  }
  return copied.first();
}

statement_id without_idle_scopes(loop_tree& tree, statement_id first) {
  statement_list kept(tree);
  for (statement_id id = first, next = no_statement; id != no_statement; id = next) {
    next = tree[id].next;
    tree[id].body = without_idle_scopes(tree, tree[id].body);
    tree[id].otherwise = without_idle_scopes(tree, tree[id].otherwise);
    bool declares = tree[id].kind != statement_kind::scope;
    each_in_list(tree, tree[id].body, [&](statement_id at) {
      declares |= tree[at].kind == statement_kind::let || tree[at].kind == statement_kind::variable;
    });
    if (declares)
      kept.take(id);
    else
      kept.append(tree[id].body);
  }
  return kept.first();
}

statement_id with_list_behind_lets(loop_tree& tree, statement_id first, statement_id inserted) {
  statement_id last_let = no_statement;
  each_in_list(tree, first, [&](statement_id id) {
    if (tree[id].kind == statement_kind::let) last_let = id;
  });
  statement_list made(tree);
  if (last_let == no_statement) made.append(inserted);
  for (statement_id id = first, next = no_statement; id != no_statement; id = next) {
    next = tree[id].next;
    made.take(id);
    if (id == last_let) made.append(inserted);
  }
  return made.first();
}

statement_id last_of(const loop_tree& tree, statement_id first) {
  statement_id last = no_statement;
  each_in_list(tree, first, [&](statement_id id) { last = id; });
  return last;
}

statement_id add_statement(loop_tree& tree, statement made) {
  made.next = no_statement;
  tree.statements.push_back(made);
  return static_cast<statement_id>(tree.statements.size() - 1);
}

void statement_list::append(statement_id list) {
  if (list == no_statement) return;
  (last_ == no_statement ? first_ : tree_[last_].next) = list;
  last_ = last_of(tree_, list);
}

}  // namespace sinter::inline v0::codegen
