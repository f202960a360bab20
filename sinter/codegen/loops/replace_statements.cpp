#include <sinter/codegen/loops/replace_statements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

using lowering = std::function<statement_id(const statement&)>;

/// The list with what takes the place of its statements.
statement_id replaced(loop_tree& tree, statement_id first, statement_kind kind, const lowering& lowered) {
  statement_id begin = no_statement, last = no_statement;
  const auto append = [&](statement_id list) {
    (last == no_statement ? begin : tree[last].next) = list;
    for (statement_id at = list; at != no_statement; at = tree[at].next) last = at;
  };
  for (statement_id id = first, next = no_statement; id != no_statement; id = next) {
    next = tree[id].next;
    if (tree[id].kind == kind) {
      const statement replaced_one = tree[id];
      if (const statement_id list = lowered(replaced_one); list != no_statement) append(list);
      continue;
    }
    // `tree` grows while lists are made
    const statement_id body = replaced(tree, tree[id].body, kind, lowered);
    const statement_id otherwise = replaced(tree, tree[id].otherwise, kind, lowered);
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

void replace_statements(loop_tree& tree, statement_kind kind, const lowering& lowered) {
  tree.first = replaced(tree, tree.first, kind, lowered);
}

}  // namespace sinter::inline v0::codegen
