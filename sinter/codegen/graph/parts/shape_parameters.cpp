#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/parts/shape_parameters.hpp>

#include <algorithm>

namespace sinter::inline v0 {

std::vector<std::uint32_t> shape_parameters(const graph& recorded) {
  std::vector<std::uint32_t> found;
  for (const view_item& item : recorded.view_items)
    for (const bound& each : {item.start, item.stop, item.step})
      if (each.is_parameter()) found.push_back(static_cast<std::uint32_t>(each.value));
  std::vector<bool> needed(recorded.nodes.size(), false);
  for (node_id id = static_cast<node_id>(recorded.nodes.size()); id-- > 0;) {
    const node& entry = recorded.nodes[id];
    for (const node_id scalar : scalars_of(entry)) needed[scalar] = true;
    if (!needed[id]) continue;
    if (entry.op == operation::parameter) found.push_back(static_cast<std::uint32_t>(entry.payload));
    if (entry.op == operation::extent) continue;  // of an array, whose own shape counts
    for (const node_id operand : recorded.operands_of(entry)) needed[operand] = true;
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

}  // namespace sinter::inline v0
