#pragma once
// What checks of trees know of variables, scope by scope.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <map>
#include <vector>

namespace sinter::inline v0::codegen {

template <typename Fact>
class scoped_variables {
 public:
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  Fact& declare(std::uint32_t variable) { return scopes_.back()[variable] = {}; }
  /// The innermost of this number; nullptr where it is not declared.
  const Fact* find(std::uint32_t variable) const {
    return const_cast<scoped_variables*>(this)->find(variable);  // the other find() changes nothing
  }
  Fact* find(std::uint32_t variable) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(variable); found != scope->end()) return &found->second;
    return nullptr;
  }

 private:
  std::vector<std::map<std::uint32_t, Fact>> scopes_{1};
};

/// A place in a buffer: the buffer's number, and the subscripts from the first on.
struct buffer_place {
  static constexpr std::uint32_t none = ~0u;  ///< for what is no place in a named buffer
  std::uint32_t buffer = none;
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
  if (tree.expressions[id].kind == expression_kind::name) place.buffer = id;
  return place;
}

/// The expressions of one statement, not of those in it.
template <typename Visit>
void each_expression(const statement& at, Visit visit) {
  for (expression statement::* const part : expressions_of_statements)
    if ((at.*part).is_set()) visit((at.*part).id);
}

}  // namespace sinter::inline v0::codegen
