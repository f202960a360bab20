#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/simplify/unroll_reductions.hpp>

#include <algorithm>
#include <bit>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// Whether an operand below a node is broadcast on the way to it.
bool meets_broadcast(const graph& recorded, const shape_table& shapes, node_id id) {
  std::vector<node_id> pending{id};
  for (std::size_t visited = 0; visited < std::min(pending.size(), max_visited); ++visited) {
    const node_id user = pending[visited];
    const node& at = recorded.nodes[user];
    const bool is_elementwise = !moves_elements(at.op) && !is_reduction(at.op);
    for (const node_id operand : recorded.operands_of(at)) {
      const auto narrow = shapes.of(operand);
      if (is_elementwise && !narrow.empty() && !std::ranges::equal(shapes.of(user), narrow)) return true;
      pending.push_back(operand);
    }
  }
  return false;
}

/// Whether a reduction is along windows of its operand: an element is in several of them, so what is loaded
/// for one result serves its neighbours.
bool reduces_windows(const graph& recorded, const node& reduction) {
  std::vector<node_id> pending{reduction.inputs[0]};
  for (std::size_t visited = 0; visited < std::min(pending.size(), max_visited); ++visited) {
    const node* at = &recorded.nodes[pending[visited]];
    std::uint32_t windows = 0;  // the axes of windows come last
    for (; at->op == operation::window; at = &recorded.nodes[at->inputs[0]]) windows |= 1u << (at->rank - 1);
    if (windows != 0 && (reduced_axes(reduction) & ~windows) == 0) return true;
    if (windows != 0 || moves_elements(at->op) || is_reduction(at->op) || has_body(at->op)) continue;
    const auto operands = recorded.operands_of(*at);
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
  return false;
}

}  // namespace

std::int64_t elements_reduced(const graph& recorded, const shape_table& shapes, node_id reduction) {
  const node& at = recorded.nodes[reduction];
  const auto source = shapes.of(has_body(at.op) ? reduction : at.inputs[0]);
  std::int64_t count = 1;
  for (unsigned axis = 0; axis < at.rank; ++axis)
    if ((reduced_axes(at) >> axis & 1) != 0) count *= source[axis];
  return count;
}

bool is_worth_unrolling(const graph& recorded, const shape_table& shapes, const wanted_reduction& wanted) {
  const node& at = recorded.nodes[wanted.node];
  const std::int64_t elements = elements_reduced(recorded, shapes, wanted.node);
  if (finds_position(at.op) || has_body(at.op) || elements > max_unrolled_within) return false;
  if (elements > max_unrolled && !reduces_windows(recorded, at) &&
      !(wanted.is_within_loop && meets_broadcast(recorded, shapes, at.inputs[0])))
    return false;
  // four elements that nothing else reads are one vector load of a thread
  if (elements == max_unrolled && std::has_single_bit(reduced_axes(at)) &&
      !meets_broadcast(recorded, shapes, at.inputs[0]))
    return false;
  const std::uint64_t copies = wanted.times * static_cast<std::uint64_t>(elements);
  return copies <= max_copies && copies * wanted.node <= max_copied_nodes;
}

}  // namespace sinter::inline v0
