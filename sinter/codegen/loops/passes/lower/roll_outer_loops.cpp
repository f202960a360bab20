#include <sinter/codegen/loops/passes/lower/roll_outer_loops.hpp>

namespace sinter::inline v0::codegen {
namespace {

bool has_loop(const loop_tree& tree, const statement& at) {
  bool found = false;
  each_in_list(tree, at.body, [&](statement_id id) { found |= contains(tree, id, statement_kind::loop); });
  return found;
}

/// Whether a loop ends at a number that the text states.
bool ends_at_constant(const loop_tree& tree, const statement& at) {
  return at.end.is_set() && tree.expressions[at.end.id].kind == expression_kind::integer;
}

}  // namespace

void roll_outer_loops(const kernel_description&, loop_tree& tree) {
  for (statement& at : tree.statements) {
    if (at.kind != statement_kind::loop) continue;
    if (at.loop != loop_kind::serial && at.loop != loop_kind::chunks) continue;
    if (has_loop(tree, at) && !ends_at_constant(tree, at)) at.loop = loop_kind::rolled;
  }
}

}  // namespace sinter::inline v0::codegen
