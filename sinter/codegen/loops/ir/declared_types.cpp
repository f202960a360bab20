#include <sinter/codegen/loops/ir/declared_types.hpp>

namespace sinter::inline v0::codegen {

declared_types::declared_types(const loop_tree& tree) {
  for (const statement& at : tree.statements) {
    if (at.kind != statement_kind::variable && at.kind != statement_kind::let) continue;
    const expression variable = base_variable(tree.expressions, at.target);
    if (!variable.is_set()) continue;
    if (variable.id >= types_.size()) types_.resize(variable.id + 1);
    types_[variable.id] = at.type;
  }
}

const value_type* declared_types::find(const expression_table& table, expression place) const {
  const expression variable = base_variable(table, place);
  if (!variable.is_set() || variable.id >= types_.size() || !types_[variable.id].has_value()) return nullptr;
  return &*types_[variable.id];
}

}  // namespace sinter::inline v0::codegen
