#pragma once
// What checks of trees know of names, scope by scope.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

template <typename Fact>
class scoped_names {
 public:
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  Fact& declare(std::string_view name) { return scopes_.back()[std::string(name)] = {}; }
  /// The innermost of this name; nullptr where it is not declared.
  const Fact* find(std::string_view name) const {
    return const_cast<scoped_names*>(this)->find(name);  // the other find() changes nothing
  }
  Fact* find(std::string_view name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return &found->second;
    return nullptr;
  }

 private:
  std::vector<std::map<std::string, Fact, std::less<>>> scopes_{1};
};

/// A place in a buffer: its name, and the subscripts from the first on.
struct buffer_place {
  std::string_view name;  ///< empty for what is no place in a named buffer
  std::vector<std::uint32_t> subscripts;
};
inline buffer_place place_of(const loop_tree& tree, std::uint32_t id) {
  buffer_place place;
  while (tree.expressions[id].kind == expression_kind::subscript ||
         tree.expressions[id].kind == expression_kind::lane) {
    const auto operands = tree.expressions.operands_of(id);
    if (tree.expressions[id].kind == expression_kind::subscript)
      place.subscripts.insert(place.subscripts.begin(), operands[1]);
    id = operands[0];
  }
  if (tree.expressions[id].kind == expression_kind::name) place.name = tree.expressions.name_of(id);
  return place;
}

/// The expressions of one statement, not of those in it.
template <typename Visit>
void each_expression(const statement& at, Visit visit) {
  for (const expression& used :
       {at.target, at.value, at.condition, at.step, at.target_position, at.value_position, at.toggled})
    if (used.is_set()) visit(used.id);
}

}  // namespace sinter::inline v0::codegen
