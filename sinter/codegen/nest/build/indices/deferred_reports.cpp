#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/indices/deferred_reports.hpp>

#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/nest/build/computed_nodes.hpp>
#include <sinter/codegen/nest/build/indices/element_count.hpp>
#include <sinter/codegen/nest/build/indices/fault_codes.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

bool has_checked_index(const node& at) { return at.op == operation::gather && is_checked(at); }

/// Whether each element of the operands is used as soon as one of the node is: any update may be of it, and
/// each key decides where others come.
bool uses_all(const node& at) { return at.op == operation::scatter || at.op == operation::argsort; }

/// Whether an operand's element may be used nowhere although the node is used everywhere.
bool may_leave_out(const call_facts& call, node_id id, std::size_t operand) {
  const graph& recorded = call.recorded;
  const node& at = recorded.nodes[id];
  switch (at.op) {
    case operation::where:
      return operand != 0;
    case operation::logical_and:
    case operation::logical_or:
      return operand == 1;
    case operation::gather:
      return operand == 0;
    case operation::when:
      return operand != 0 && !is_whole(recorded, at, operand);
    case operation::extended:
      if (is_pad(at)) return false;
      if (extension_of(at) != extension::wrap && extension_of(at) != extension::repeat) return true;
      [[fallthrough]];
    case operation::view:
    case operation::window:
    case operation::diagonal:
    case operation::split:
      return call.shape_generic ||
             element_count(call.shapes.of(id)) < element_count(call.shapes.of(at.inputs[operand]));
    default:
      return false;
  }
}

}  // namespace

void deferred_reports::find(const call_facts& call) {
  const graph& recorded = call.recorded;
  deferred_.clear();
  if (std::ranges::none_of(recorded.nodes, has_checked_index) || !can_be_coded(recorded.nodes.size())) return;
  const std::size_t count = recorded.nodes.size();
  deferred_.assign(count, 0);
  used_.assign(count, 0);
  for (node_id id = 0; id < count; ++id) {
    deferred_[id] = has_checked_index(recorded.nodes[id]) ? 1 : 0;
    if (uses_all(recorded.nodes[id])) continue;
    for (const node_id operand : operands_read(recorded, id)) deferred_[id] |= deferred_[operand];
  }
  for (const auto& output : recorded.outputs) used_[output] = 1;
  for (node_id id = static_cast<node_id>(count); id-- > 0;) {
    const bool is_used = used_[id] != 0 && (call.shape_generic || element_count(call.shapes.of(id)) != 0);
    const auto operands = operands_read(recorded, id);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      // bodies read no codes
      const bool is_read_in_body =
          has_body(recorded.nodes[id].op) && is_whole(recorded, recorded.nodes[id], i);
      if (is_read_in_body || uses_all(recorded.nodes[id]) || (is_used && !may_leave_out(call, id, i)))
        used_[operands[i]] = 1;
    }
  }
  for (std::size_t id = 0; id < count; ++id)
    if (used_[id] != 0) deferred_[id] = 0;
}

std::vector<node_id> checked_gathers_under(const graph& recorded, node_id id) {
  std::vector<bool> is_under(id + 1, false);
  is_under[id] = true;
  std::vector<node_id> found;
  for (node_id next = id + 1; next-- > 0;) {
    if (!is_under[next]) continue;
    if (has_checked_index(recorded.nodes[next])) found.push_back(next);
    if (uses_all(recorded.nodes[next])) continue;
    for (const node_id operand : operands_read(recorded, next)) is_under[operand] = true;
  }
  return found;
}

}  // namespace sinter::inline v0
