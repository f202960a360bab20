#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/computed_nodes.hpp>

#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/types/rank.hpp>

#include <bit>

namespace sinter::inline v0 {
namespace {

/// The operand with the same shape as the node in every call. For a view its source; for an operation the
/// only operand that is not a single element, or if all are, the first one that is computed. no_node if there
/// is none.
node_id operand_of_its_shape(const graph& recorded, const node& at) {
  if (at.op == operation::view) return at.inputs[0];
  if (!is_computed(at) || moves_elements(at.op) || is_reduction(at.op) || is_scan(at.op) ||
      at.op == operation::component)
    return no_node;
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

bool is_computed(const node& at) {
  switch (at.op) {
    case operation::repeat:
    case operation::repeat_while:
    case operation::when:
    case operation::reduce:
    case operation::scan:
    case operation::input:
    case operation::parameter:
    case operation::literal:
    case operation::coordinate:
    case operation::extent:
    case operation::view:
    case operation::extended:
    case operation::window:
    case operation::diagonal:
    case operation::merged:
    case operation::split:
    case operation::gather:
      return false;
    default:
      return true;
  }
}

bool is_loop(const node& at) { return is_scan(at.op) || (is_reduction(at.op) && at.payload != 0); }

node_id combining_owner(const graph& recorded, node_id id) {
  const node& at = recorded.nodes[id];
  return at.op == operation::component && combines_by_body(recorded.nodes[at.inputs[0]].op) ? at.inputs[0]
                                                                                            : id;
}

node_id reduction_within(const graph& recorded, node_id wanted) {
  node_id id = combining_owner(recorded, wanted);
  while (id != no_node && !(is_reduction(recorded.nodes[id].op) && is_loop(recorded.nodes[id]))) {
    id = operand_of_its_shape(recorded, recorded.nodes[id]);
    if (id != no_node) id = combining_owner(recorded, id);
  }
  if (id == no_node || id == wanted) return id;
  const int axes = recorded.nodes[wanted].rank + std::popcount(reduced_axes(recorded.nodes[id]));
  return axes <= static_cast<int>(max_rank) ? id : no_node;
}

bool is_constant_in_shape(const node& at) {
  return at.op == operation::where && at.inputs[1] == at.inputs[2];
}

std::size_t first_operand_read(const graph& recorded, node_id id) {
  return is_constant_in_shape(recorded.nodes[id]) ? 2 : 0;
}

std::span<const node_id> operands_read(const graph& recorded, node_id id) {
  const node& at = recorded.nodes[id];
  const auto operands = recorded.operands_of(at);
  if (at.op == operation::coordinate || at.op == operation::extent) return operands.first(0);
  if (is_constant_in_shape(at)) return operands.last(1);
  return operands.first(operands.size() - scalars_of(at).size());
}

}  // namespace sinter::inline v0
