#include <sinter/codegen/base/default_arithmetic.hpp>
#include <sinter/codegen/simplify/identities.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Keeps the nodes that the outputs need, in the same order.
graph without_unused(graph full) {
  std::vector<std::uint8_t> used(full.nodes.size(), 0);
  for (const node_id output : full.outputs) used[output] = 1;
  for (std::size_t id = full.nodes.size(); id-- > 0;)
    for (unsigned i = 0; used[id] != 0 && i < full.nodes[id].arity; ++i) used[full.nodes[id].inputs[i]] = 1;

  std::vector<node_id> renumbered(full.nodes.size(), 0);
  std::vector<view_item> items;
  std::vector<view_range> views;
  node_id kept = 0;
  for (std::size_t id = 0; id < full.nodes.size(); ++id) {
    if (used[id] == 0) continue;
    node entry = full.nodes[id];
    for (unsigned i = 0; i < entry.arity; ++i) entry.inputs[i] = renumbered[entry.inputs[i]];
    if (entry.op == operation::view) {
      const view_range from = full.views[entry.payload];
      entry.payload = views.size();
      views.push_back({static_cast<std::uint32_t>(items.size()), from.count});
      items.insert(items.end(), full.view_items.begin() + from.first,
                   full.view_items.begin() + from.first + from.count);
    }
    renumbered[id] = kept;
    full.nodes[kept] = entry;
    full.locations[kept] = full.locations[id];
    ++kept;
  }
  full.nodes.resize(kept);
  full.locations.resize(kept);
  full.views = std::move(views);
  full.view_items = std::move(items);
  for (node_id& output : full.outputs) output = renumbered[output];
  return full;
}

}  // namespace

graph simplify(const graph& recorded) {
  const default_arithmetic modes;  // constants are folded
  graph_algebra algebra(recorded);
  std::vector<node_id> instead;
  instead.reserve(recorded.nodes.size());
  for (node_id id = 0; id < recorded.nodes.size(); ++id) {
    node entry = recorded.nodes[id];
    entry.attribute = 0;  // a name for errors
    for (unsigned i = 0; i < entry.arity; ++i) entry.inputs[i] = instead[entry.inputs[i]];
    if (entry.op == operation::view) {
      const view_range range = recorded.views[entry.payload];
      entry.payload = algebra.view_of(std::span(recorded.view_items).subspan(range.first, range.count));
    }
    algebra.where = id < recorded.locations.size() ? recorded.locations[id] : std::source_location{};
    instead.push_back(algebra.add(entry));
  }
  graph made = std::move(algebra).take();
  for (const node_id output : recorded.outputs) made.outputs.push_back(instead[output]);
  return without_unused(std::move(made));
}

}  // namespace sinter::inline v0
