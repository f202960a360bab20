#include <sinter/codegen/loops/statements/replace_statements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

using test = std::function<bool(const statement&)>;
using lowering = std::function<statement_id(statement_id)>;

/// The list with what takes the place of its statements.
statement_id replaced(loop_tree& tree, statement_id first, const test& is_replaced, const lowering& lowered) {
  statement_id begin = no_statement, last = no_statement;
  const auto append = [&](statement_id list) {
    (last == no_statement ? begin : tree[last].next) = list;
    for (statement_id at = list; at != no_statement; at = tree[at].next) last = at;
  };
  for (statement_id id = first, next = no_statement; id != no_statement; id = next) {
    next = tree[id].next;
    if (is_replaced(tree[id])) {
      if (const statement_id list = lowered(id); list != no_statement) append(list);
      continue;
    }
    // `tree` grows while lists are made
    const statement_id body = replaced(tree, tree[id].body, is_replaced, lowered);
    const statement_id otherwise = replaced(tree, tree[id].otherwise, is_replaced, lowered);
    tree[id].body = body;
    tree[id].otherwise = otherwise;
    tree[id].next = no_statement;
    append(id);
  }
  return begin;
}

}  // namespace

bool has_statement(const loop_tree& tree, statement_kind kind) {
  return std::ranges::find(tree.statements, kind, &statement::kind) != tree.statements.end();
}

void replace_statements(loop_tree& tree, const test& is_replaced, const lowering& lowered) {
  tree.first = replaced(tree, tree.first, is_replaced, lowered);
}

void replace_statements(loop_tree& tree, statement_kind kind,
                        const std::function<statement_id(const statement&)>& lowered) {
  const auto of_kind = [&](const statement& at) { return at.kind == kind; };
  replace_statements(tree, of_kind, [&](statement_id id) {
    const statement replaced_one = tree[id];  // `tree` grows while lists are made
    return lowered(replaced_one);
  });
}

}  // namespace sinter::inline v0::codegen
