#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/segment/made_ahead.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Whether two reductions have one shape and reduce the same axes of operands of one shape.
bool is_alike(const call_facts& call, node_id a, node_id b) {
  const node &left = call.recorded.nodes[a], &right = call.recorded.nodes[b];
  const auto source_of = [](const node& at, node_id id) { return has_body(at.op) ? id : at.inputs[0]; };
  const bool have_axes = needs_chunk(left.op)
                             ? needs_chunk(right.op) && scanned_axis(left) == scanned_axis(right)
                             : is_reduction(right.op) && reduced_axes(left) == reduced_axes(right);
  return have_axes && call.have_one_shape(source_of(left, a), source_of(right, b));
}

/// Marks the nodes that depend on a reduction of the nest.
void find_dependent(const graph& recorded, const node_demands& demands, std::span<const stored_node> stored,
                    node_marks& marks) {
  constexpr std::uint8_t in_nest = 1, in_memory = 2;
  marks.dependent.assign(recorded.nodes.size(), 0);
  marks.reductions.assign(recorded.nodes.size(), 0);
  for (const node_demands::reduction_axes& at : demands.reductions) marks.reductions[at.node] = in_nest;
  for (const stored_node& at : stored) marks.reductions[at.node] = in_memory;
  for (node_id id = 0; id < recorded.nodes.size(); ++id) {
    if (marks.reductions[id] == in_memory) continue;
    for (const node_id operand : operands_read(recorded, id))
      if (marks.dependent[operand] != 0 || marks.reductions[operand] == in_nest) marks.dependent[id] = 1;
  }
}

}  // namespace

bool needs_all_of(const graph& recorded, std::span<const stored_node> made,
                  std::span<const stored_node> wanted, std::span<const stored_node> stored,
                  node_marks& marks) {
  // visits only what the made nodes need: a long graph asks this for each of its stages
  for (const node_id id : marks.visited) marks.needed[id] = 0;
  marks.visited.clear();
  if (marks.needed.size() < recorded.nodes.size()) marks.needed.resize(recorded.nodes.size(), 0);
  const auto visit = [&](node_id id) {
    if (marks.needed[id] != 0) return;
    marks.needed[id] = 1;
    marks.visited.push_back(id);
  };
  for (const stored_node& at : made)
    if (find_stored(stored, at.node) == nullptr) visit(at.node);
  std::size_t next = 0;  // visiting a node adds its operands
  while (next < marks.visited.size()) {
    const node_id id = marks.visited[next++];
    if (find_stored(stored, id) != nullptr) continue;
    for (const node_id operand : recorded.operands_of(id)) visit(operand);
  }
  return std::ranges::all_of(wanted, [&](const stored_node& at) { return marks.needed[at.node] != 0; });
}

node_id last_in_common(const graph& recorded, std::span<const stored_node> ahead,
                       std::span<const stored_node> rest, std::span<const stored_node> stored,
                       node_marks& marks) {
  constexpr std::uint8_t below_ahead = 1, below_rest = 2;
  marks.dependent.assign(recorded.nodes.size(), 0);
  const auto is_ahead = [&](node_id id) {
    return std::ranges::find(ahead, id, &stored_node::node) != ahead.end();
  };
  for (const stored_node& at : ahead) marks.dependent[at.node] |= below_ahead;
  for (const stored_node& at : rest) marks.dependent[at.node] |= below_rest;
  for (node_id id = static_cast<node_id>(recorded.nodes.size()); id-- > 0;) {
    if (marks.dependent[id] == 0 || find_stored(stored, id) != nullptr) continue;
    // what a value ahead is computed from is below it alone, although the rest reads the value
    const std::uint8_t handed_on = is_ahead(id) ? below_ahead : marks.dependent[id];
    for (const node_id operand : operands_read(recorded, id)) marks.dependent[operand] |= handed_on;
  }
  for (node_id id = static_cast<node_id>(recorded.nodes.size()); id-- > 0;) {
    const operation op = recorded.nodes[id].op;
    if (marks.dependent[id] == (below_ahead | below_rest) && !is_ahead(id) &&
        (weight_of(op) > 0 || op == operation::component) && !moves_elements(op) && !is_reduction(op) &&
        !needs_chunk(op) && combining_owner(recorded, id) == id && find_stored(stored, id) == nullptr)
      return id;
  }
  return no_node;
}

alike_reductions find_alike(const call_facts& call, const node_demands& demands,
                            std::span<const stored_node> stored, node_id first, node_marks& marks) {
  alike_reductions found;
  if (call.shape_generic) return found;  // no two nodes are known to have the same shape
  find_dependent(call.recorded, demands, stored, marks);
  for (const node_demands::reduction_axes& at : demands.reductions) {
    if (at.node == first || !is_alike(call, at.node, first)) continue;
    std::vector<node_id>& list = marks.dependent[at.node] != 0 ? found.later : found.ready;
    if (std::ranges::find(list, at.node) == list.end()) list.push_back(at.node);
  }
  std::ranges::sort(found.later);
  return found;
}

}  // namespace sinter::inline v0
