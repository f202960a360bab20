#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/shape_generic.hpp>

#include <algorithm>
#include <bit>

namespace sinter {
namespace {

bool is_computed(const node& at) {
  switch (at.op) {
    case operation::input:
    case operation::parameter:
    case operation::literal:
    case operation::coordinate:
    case operation::extent:
    case operation::view:
      return false;
    default:
      return true;
  }
}

/// The operand whose shape a node's is: of a view its source, of an operation the only one that is not a
/// single element, or of single elements the first that is computed. no_node if there is none such.
node_id operand_of_its_shape(const graph& recorded, const node& at) {
  if (at.op == operation::view) return at.inputs[0];
  if (!is_computed(at) || is_reduction(at.op) || is_scan(at.op)) return no_node;
  node_id found = no_node;
  for (unsigned i = 0; i < at.arity; ++i) {
    const node& operand = recorded.nodes[at.inputs[i]];
    if (operand.rank == 0 && at.rank > 0) continue;
    if (operand.rank == 0 && (found != no_node || (!is_computed(operand) && operand.op != operation::view)))
      continue;
    if (found != no_node) return no_node;
    found = at.inputs[i];
  }
  return found;
}

}  // namespace

node_id reduction_within(const graph& recorded, node_id wanted) {
  node_id id = wanted;
  while (id != no_node && !(is_reduction(recorded.nodes[id].op) && walks(recorded.nodes[id])))
    id = operand_of_its_shape(recorded, recorded.nodes[id]);
  if (id == no_node || id == wanted) return id;
  const int axes = recorded.nodes[wanted].rank + std::popcount(recorded.nodes[id].payload);
  return axes <= static_cast<int>(max_rank) ? id : no_node;
}

bool is_stored_first(const node& at, unsigned positions) {
  if (is_scan(at.op) || (is_reduction(at.op) && walks(at))) return true;
  return is_computed(at) && positions > most_positions;
}

}  // namespace sinter
