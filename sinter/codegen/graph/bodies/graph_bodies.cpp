#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>

#include <sinter/codegen/graph/graph_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {

needed_nodes nodes_needed_for(const graph& body, std::span<const node_id> wanted) {
  needed_nodes made{std::vector<bool>(body.nodes.size(), false), {}};
  made.components.resize(body.nodes.size());
  for (const node_id id : wanted) made.nodes[id] = true;
  for (std::size_t id = body.nodes.size(); id-- > 0;) {
    if (!made.nodes[id]) continue;
    const node& entry = body.nodes[id];
    const auto operands = body.operands_of(entry);
    if (has_body(entry.op)) {
      const needed_parts parts = needed_for(body, entry, made.components[id]);
      made.components[id] = parts.components;
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (parts.operands[i]) made.nodes[operands[i]] = true;
      continue;
    }
    for (const node_id operand : operands) made.nodes[operand] = true;
    if (entry.op != operation::component) continue;
    std::vector<bool>& picked = made.components[entry.inputs[0]];
    picked.resize(component_count(body, body.nodes[entry.inputs[0]]), false);
    picked[entry.payload] = true;
  }
  return made;
}

std::vector<node_id> results_for(const graph& body, operation op, const std::vector<bool>& components) {
  std::vector<node_id> results(body.outputs.begin(), body.outputs.begin() + layout_of(op).conditions);
  for (unsigned k = 0; k < components.size(); ++k)
    if (components[k]) results.push_back(component_of(body, op, k));
  return results;
}

std::uint64_t weight_of(const graph& recorded, const node& entry) {
  std::uint64_t weight = weight_of(entry.op);
  for (unsigned which = 0; which < body_count(entry.op); ++which) {
    const graph& body = body_of(recorded, entry, which);
    for (const node& each : body.nodes) weight += weight_of(body, each);
  }
  return weight;
}

std::uint64_t iterations_of(const graph& recorded, const node& entry) {
  if (!is_repeated(entry.op)) return 1;
  if (entry.op == operation::repeat_while) return usual_iterations;
  const node& count = recorded.nodes[recorded.operands_of(entry)[0]];
  if (count.op != operation::literal) return usual_iterations;
  const auto times = static_cast<std::int64_t>(count.payload);
  return times <= 0 ? 0 : std::min<std::uint64_t>(static_cast<std::uint64_t>(times), max_counted_iterations);
}

unsigned rank_of_component(const graph& recorded, const node& entry, unsigned number) {
  if (combines_by_body(entry.op)) {
    unsigned rank = 0;
    for (const node_id value : recorded.operands_of(entry).first(component_count(recorded, entry)))
      rank = std::max<unsigned>(rank, recorded.nodes[value].rank);
    return rank;
  }
  if (is_repeated(entry.op))
    return body_of(recorded, entry).inputs[layout_of(entry.op).iteration + number].rank;
  unsigned rank = 0;
  for (unsigned which = 0; which < body_count(entry.op); ++which) {
    const graph& body = body_of(recorded, entry, which);
    rank = std::max<unsigned>(rank, body.nodes[component_of(body, entry.op, number)].rank);
  }
  return std::max<unsigned>(rank, recorded.nodes[recorded.operands_of(entry)[0]].rank);
}

unsigned rank_of_components(const graph& recorded, const node& entry) {
  unsigned rank = 0;
  for (unsigned k = 0; k < component_count(recorded, entry); ++k)
    rank = std::max(rank, rank_of_component(recorded, entry, k));
  return rank;
}

needed_parts needed_for(const graph& recorded, const node& entry, std::vector<bool> components) {
  const body_layout layout = layout_of(entry.op);
  const std::size_t count = recorded.operands_of(entry).size();
  needed_parts made{std::vector<bool>(count, false), std::move(components)};
  made.components.resize(component_count(recorded, entry), false);
  for (unsigned i = 0; i < layout.lead; ++i) made.operands[i] = true;
  const std::size_t results = made.components.size();
  const auto mark = [&](const graph& body) {
    const needed_nodes below = nodes_needed_for(body, results_for(body, entry.op, made.components));
    bool more = false;
    for (node_id id = 0; id < body.nodes.size(); ++id) {
      if (!below.nodes[id] || body.nodes[id].op != operation::input) continue;
      const std::uint64_t input = body.nodes[id].payload;
      if (input < layout.iteration) continue;
      std::size_t state = input - layout.iteration;
      made.operands[layout.lead + state] = true;
      if (layout.combines && state >= results && state < 2 * results) state -= results;  // of the right side
      if ((!layout.has_states && !layout.combines) || state >= results || made.components[state]) continue;
      made.components[state] = more = true;
    }
    return more;
  };
  for (bool more = true; more;) {
    more = false;
    for (unsigned which = 0; which < body_count(entry.op); ++which)
      more = mark(body_of(recorded, entry, which)) || more;
  }
  // zero iterations give the first states, one element is its own result, none give the identities
  for (std::size_t k = 0; k < results; ++k) {
    if (!made.components[k]) continue;
    if (layout.has_states || layout.combines) made.operands[layout.lead + k] = true;
    if (layout.combines) made.operands[results + k] = true;
  }
  return made;
}

}  // namespace sinter::inline v0
