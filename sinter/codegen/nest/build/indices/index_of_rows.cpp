#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/indices/index_of_rows.hpp>

#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/nest/build/indices/element_count.hpp>
#include <sinter/codegen/nest/build/recomputing_weights.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// The fewest elements of a row: the widest vectors of the CPU.
constexpr double min_row = 16;
/// What an element takes when its index is computed for it and it is read alone, in operations: the
/// arithmetic on 64-bit integers, and one read for each lane.
constexpr double weight_of_element = 16;
/// Below this, one more stage takes longer on a CPU, too.
constexpr double min_weight = 1 << 16;

/// What a view, or several, are of.
node_id behind_views(const graph& recorded, std::span<const stored_node> stored, node_id id) {
  while (recorded.nodes[id].op == operation::view && find_stored(stored, id) == nullptr)
    id = recorded.nodes[id].inputs[0];
  return id;
}

bool is_in_memory(const graph& recorded, std::span<const stored_node> stored, node_id id) {
  return find_stored(stored, id) != nullptr || recorded.nodes[id].op == operation::input;
}

/// Whether what an index is computed from is read at indices that may be out of range. A stage of its own
/// would store codes of these beside it.
bool has_checks(const graph& recorded, std::span<const stored_node> stored, node_id index) {
  std::vector<bool> is_needed(index + 1, false);
  is_needed[index] = true;
  for (node_id id = index + 1; id-- > 0;) {
    if (!is_needed[id] || is_in_memory(recorded, stored, id)) continue;
    const node& at = recorded.nodes[id];
    if (has_body(at.op) || (at.op == operation::gather && is_checked(at))) return true;
    for (const node_id operand : recorded.operands_of(at)) is_needed[operand] = true;
  }
  return false;
}

}  // namespace

node_id computed_index_of_rows(const call_facts& call, std::span<const stored_node> stored, node_id gather) {
  if (call.shape_generic) return no_node;
  const graph& recorded = call.recorded;
  const node_id index = behind_views(recorded, stored, recorded.nodes[gather].inputs[1]);
  const node& at = recorded.nodes[index];
  if (is_in_memory(recorded, stored, index) || !is_computed(at) || is_host_scalar(recorded, index))
    return no_node;
  // an integer of memory is made wider where it is read
  if (at.op == operation::cast && is_integer(recorded.nodes[at.inputs[0]].type) &&
      is_in_memory(recorded, stored, behind_views(recorded, stored, at.inputs[0])))
    return no_node;
  const double elements = element_count(call.shapes.of(gather)), rows = element_count(call.shapes.of(index));
  const double least = std::max(min_weight, recomputing_weights_of(call.target).stage_weight);
  const bool is_worth_it = elements >= min_row * rows && elements * weight_of_element >= least;
  return is_worth_it && !has_checks(recorded, stored, index) ? index : no_node;
}

}  // namespace sinter::inline v0
