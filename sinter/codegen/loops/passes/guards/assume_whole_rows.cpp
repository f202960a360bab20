#include <sinter/codegen/loops/passes/guards/assume_whole_rows.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

namespace sinter::inline v0::codegen {

void assume_whole_rows(const kernel_description& kernel, loop_tree& tree) {
  if (!reduces_rows(kernel.chosen.order) || !kernel.chosen.whole_rows) return;
  const auto asks_for_lane = [&](const statement& at) {
    return at.condition.is_set() && mentions(tree.expressions, at.condition, tree.row.lane);
  };
  for (statement& at : tree.statements) {
    if (at.kind != statement_kind::load && at.kind != statement_kind::store) continue;
    at.step = {};
    if (asks_for_lane(at)) at.condition = {};
  }
  replace_statements(
      tree, [&](const statement& at) { return at.kind == statement_kind::guard && asks_for_lane(at); },
      [&](statement_id id) { return tree[id].body; });
}

}  // namespace sinter::inline v0::codegen
