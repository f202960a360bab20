#include <sinter/codegen/loops/ir/declared_types.hpp>

namespace sinter::inline v0::codegen {

declared_types::declared_types(const loop_tree& tree) {
  for (const statement& at : tree.statements)
    if (at.kind == statement_kind::variable || at.kind == statement_kind::let)
      if (const std::string_view name = base_name(tree.expressions, at.target); !name.empty())
        types_[std::string(name)] = at.type;
}

const value_type* declared_types::find(const expression_table& table, expression place) const {
  const auto found = types_.find(base_name(table, place));
  return found == types_.end() ? nullptr : &found->second;
}

}  // namespace sinter::inline v0::codegen
