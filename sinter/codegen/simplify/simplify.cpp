#include <sinter/codegen/base/default_arithmetic.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/simplify/identities.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// The bodies of a graph that are still run, and the lists of operands.
class kept_bodies {
 public:
  explicit kept_bodies(const graph& full) : full_(full), renumbered_(full.bodies.size(), dropped) {}

  void keep(node& entry, const std::vector<node_id>& nodes) {
    const auto of_entry = full_.operands_of(entry);
    const std::uint64_t first = operands_.size();
    for (const node_id operand : of_entry) operands_.push_back(nodes[operand]);
    entry.attribute = first | static_cast<std::uint64_t>(of_entry.size()) << 32;
    if (!has_body(entry.op)) return;
    std::uint64_t numbers = payload_beside_bodies(entry);
    for (unsigned which = 0; which < body_count(entry.op); ++which)
      numbers |= std::uint64_t{number_of(body_number(entry, which))} << (32 * which);
    entry.payload = numbers;
  }
  void store(graph& kept) {
    kept.operands = std::move(operands_);
    kept.bodies = std::move(bodies_);
  }

 private:
  static constexpr std::uint32_t dropped = ~0u;
  std::uint32_t number_of(std::uint32_t body) {
    if (renumbered_[body] == dropped) {
      renumbered_[body] = static_cast<std::uint32_t>(bodies_.size());
      bodies_.push_back(full_.bodies[body]);
    }
    return renumbered_[body];
  }

  const graph& full_;
  std::vector<std::uint32_t> renumbered_;
  std::vector<node_id> operands_;
  std::vector<graph> bodies_;
};

/// Calls of a graph whose nodes have other numbers: `renumbered` has those of operands, `before` how many
/// nodes there are before one.
void renumber(std::vector<scatter_call>& calls, std::span<const node_id> renumbered,
              std::span<const node_id> before) {
  for (scatter_call& call : calls) {
    for (node_id& operand : call.operands)
      if (operand != no_operand) operand = renumbered[operand];
    call.first = before[call.first];
    call.end = before[call.end];
  }
}

/// Keeps the nodes that the outputs need, in the same order.
graph without_unused(graph full) {
  std::vector<std::uint8_t> used(full.nodes.size(), 0);
  for (const node_id output : full.outputs) used[output] = 1;
  for (std::size_t id = full.nodes.size(); id-- > 0;)
    if (used[id] != 0)
      for (const node_id operand : full.operands_of(full.nodes[id])) used[operand] = 1;

  std::vector<node_id> renumbered(full.nodes.size(), no_operand);
  std::vector<view_item> items;
  std::vector<view_range> views;
  kept_bodies bodies(full);
  std::vector<node_id> before;  // of calls
  node_id kept = 0;
  for (std::size_t id = 0; id < full.nodes.size(); ++id) {
    if (!full.calls.empty()) before.push_back(kept);
    if (used[id] == 0) continue;
    node entry = full.nodes[id];
    for (unsigned i = 0; i < entry.arity; ++i) entry.inputs[i] = renumbered[entry.inputs[i]];
    if (has_operand_list(entry.op)) bodies.keep(entry, renumbered);
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
  if (!full.calls.empty()) before.push_back(kept);
  renumber(full.calls, renumbered, before);
  full.nodes.resize(kept);
  full.locations.resize(kept);
  full.views = std::move(views);
  full.view_items = std::move(items);
  bodies.store(full);
  for (node_id& output : full.outputs) output = renumbered[output];
  return full;
}

graph simplified(const graph& recorded, bool is_body) {
  graph_algebra algebra(recorded, is_body);
  std::vector<std::uint32_t> bodies;
  for (const graph& body : recorded.bodies) bodies.push_back(algebra.body_of(simplified(body, true)));
  std::vector<node_id> instead, operands, before;
  instead.reserve(recorded.nodes.size());
  for (node_id id = 0; id < recorded.nodes.size(); ++id) {
    if (!recorded.calls.empty()) before.push_back(algebra.count());
    node entry = recorded.nodes[id];
    entry.attribute = 0;  // a name for errors
    for (unsigned i = 0; i < entry.arity; ++i) entry.inputs[i] = instead[entry.inputs[i]];
    if (entry.op == operation::view) {
      const view_range range = recorded.views[entry.payload];
      entry.payload = algebra.view_of(std::span(recorded.view_items).subspan(range.first, range.count));
    }
    if (has_operand_list(entry.op)) {
      operands.clear();
      for (const node_id operand : recorded.operands_of(id)) operands.push_back(instead[operand]);
      entry.attribute = algebra.operands_of(operands);
    }
    if (has_body(entry.op)) {
      entry.payload = payload_beside_bodies(entry);
      for (unsigned which = 0; which < body_count(entry.op); ++which)
        entry.payload |= std::uint64_t{bodies[body_number(recorded.nodes[id], which)]} << (32 * which);
    }
    algebra.where = id < recorded.locations.size() ? recorded.locations[id] : std::source_location{};
    instead.push_back(algebra.add(entry));
  }
  if (!recorded.calls.empty()) before.push_back(algebra.count());
  graph made = std::move(algebra).take();
  made.calls = recorded.calls;
  renumber(made.calls, instead, before);
  for (const node_id output : recorded.outputs) made.outputs.push_back(instead[output]);
  return without_unused(std::move(made));
}

}  // namespace

graph simplify(const graph& recorded) {
  const default_arithmetic modes;  // constants are folded
  return simplified(recorded, false);
}

}  // namespace sinter::inline v0
