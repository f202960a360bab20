#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/computed_nodes.hpp>
#include <sinter/codegen/segment/cut_long_graphs.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

namespace sinter::inline v0 {
nest_cutter::nest_cutter(const graph& recorded, cut_scratch& scratch) : graph_(recorded), scratch_(scratch) {
  scratch_.cuts.clear();
  cost all;
  for (const node& at : graph_.nodes) {
    all.weight += weight_of(graph_, at);
    all.depth += is_reduction(at.op) || is_scan(at.op) ? 1 : 0;
  }
  is_usual_ = !all.too_much();
  if (is_usual_) return;

  const std::size_t count = graph_.nodes.size();
  scratch_.weight.assign(count, 0);
  scratch_.depth.assign(count, 0);
  scratch_.stored.assign(count, 0);
  scratch_.seen.assign(count, 0);
  scratch_.last_user.assign(count, 0);
  scratch_.region_of.assign(count, 0);
  scratch_.live.clear();
  for (node_id id = 0; id < count; ++id)
    for (const node_id operand : operands_of(id)) scratch_.last_user[operand] = id;
  for (const node_id output : graph_.outputs) scratch_.last_user[output] = static_cast<node_id>(count);

  for (node_id id = 0; id < count; ++id) {
    cost whole = bound_of(id);
    if (whole.too_much()) whole = cost_of(id);
    while (whole.too_much()) {
      const node_id operand = heaviest_operand(id);
      if (operand == id) break;  // this node alone exceeds the limit
      find_region(operand, id);
      cut_region();
      whole = cost_of(id);
    }
    scratch_.weight[id] = whole.weight;
    scratch_.depth[id] = static_cast<std::uint32_t>(whole.depth);
    if (scratch_.last_user[id] > id && !has_body(graph_.nodes[id].op)) scratch_.live.push_back(id);
  }
  cut_results();
  find_done();
}

void nest_cutter::begin_traversal() {
  ++traversal_;
  scratch_.met.clear();
}

std::span<const node_id> nest_cutter::operands_of(node_id id) const { return operands_read(graph_, id); }

/// An upper bound that assumes nothing is shared; cost_of() computes the exact value if the bound is too
/// high.
nest_cutter::cost nest_cutter::bound_of(node_id id) const {
  cost whole;
  for (const node_id operand : operands_of(id)) {
    if (is_read(operand)) continue;
    whole.weight += scratch_.weight[operand];
    whole.depth = std::max<std::uint64_t>(whole.depth, scratch_.depth[operand]);
  }
  const node& at = graph_.nodes[id];
  whole.weight += weight_of(graph_, at);
  whole.depth += is_reduction(at.op) || is_scan(at.op) ? 1 : 0;
  return whole;
}

/// The cost of computing a node, each needed value once. Values below it cost at most max_nest_work each, so
/// the traversal is short.
nest_cutter::cost nest_cutter::cost_of(node_id id) {
  begin_traversal();
  cost whole;
  traverse_from(id, whole);
  return whole;
}

/// Adds the cost of nodes not visited yet; stops if the sum is too high.
void nest_cutter::traverse_from(node_id id, cost& sum) {
  const std::size_t first = scratch_.met.size();
  scratch_.pending.assign(1, id);
  while (!scratch_.pending.empty() && sum.weight <= max_nest_work) {
    const node_id next = scratch_.pending.back();
    scratch_.pending.pop_back();
    if (scratch_.seen[next] == traversal_) continue;
    scratch_.seen[next] = traversal_;
    scratch_.met.push_back(next);
    sum.weight += weight_of(graph_, graph_.nodes[next]);
    for (const node_id operand : operands_of(next))
      if (!is_read(operand)) scratch_.pending.push_back(operand);
  }
  // operands come before their users, so their depths are known
  const auto met = std::span(scratch_.met).subspan(first);
  std::sort(met.begin(), met.end());
  for (const node_id at : met) {
    std::uint32_t depth = 0;
    for (const node_id operand : operands_of(at))
      if (!is_read(operand)) depth = std::max(depth, scratch_.depth[operand]);
    const operation op = graph_.nodes[at].op;
    scratch_.depth[at] = depth + (is_reduction(op) || is_scan(op) ? 1 : 0);
  }
  sum.depth = std::max<std::uint64_t>(sum.depth, scratch_.depth[id]);
}

/// Returns the node itself if no operand is worth storing.
node_id nest_cutter::heaviest_operand(node_id id) {
  node_id found = id;
  std::uint64_t most = 0;
  // a node with bodies is no value that could be stored: what it needs is
  const node& at = graph_.nodes[id];
  for (const node_id operand : operands_of(at.op == operation::component ? at.inputs[0] : id)) {
    if (is_read(operand)) continue;
    const cost its = cost_of(operand);
    if (its.weight * (1 + its.depth) <= most) continue;
    most = its.weight * (1 + its.depth);
    found = operand;
  }
  return found;
}

/// Cuts results that one nest cannot compute and that have much in common.
void nest_cutter::cut_results() {
  const auto count = static_cast<node_id>(graph_.nodes.size());
  for (const node_id result : graph_.outputs)
    while (!is_read(result) && scratch_.region_of[result] != regions_ && find_region(result, count))
      cut_region();
}

/// Finds what a value is computed from, and what other values that `user` and later nodes need are, if they
/// have much of it in common: they would otherwise be computed from the inputs again, by a nest of their own.
/// Returns whether that is too much for one nest.
bool nest_cutter::find_region(node_id id, node_id user) {
  ++regions_;
  scratch_.region.clear();
  grow_region(id);
  std::erase_if(scratch_.live, [&](node_id at) { return is_read(at) || !is_live_after(at, user - 1); });
  const auto latest = std::span(scratch_.live).last(std::min(scratch_.live.size(), max_examined));
  for (std::size_t before = 0; std::exchange(before, scratch_.region.size()) != scratch_.region.size();)
    for (const node_id at : latest | std::views::reverse) grow_region(at);
  std::sort(scratch_.region.begin(), scratch_.region.end());
  cost whole;
  for (const node_id at : scratch_.region) add(at, whole);
  return whole.too_much();
}

/// Adds what a value is computed from to the region, if they have much in common or the region is empty.
void nest_cutter::grow_region(node_id id) {
  const std::uint64_t whole = cost_of(id).weight;
  std::uint64_t common = 0;
  for (const node_id at : scratch_.met)
    if (scratch_.region_of[at] == regions_) common += weight_of(graph_, graph_.nodes[at]);
  const std::uint64_t least = std::max(min_common_work, std::min(max_work_apart, whole / 2));
  if (!scratch_.region.empty() && common < least) return;
  for (const node_id at : scratch_.met)
    if (std::exchange(scratch_.region_of[at], regions_) != regions_) scratch_.region.push_back(at);
}

/// Lets one nest compute a prefix of the region, and stores those of its values that later nodes read.
void nest_cutter::cut_region() {
  auto [count, live] = choose_prefix();
  const auto prefix = std::span(scratch_.region).first(count);
  std::vector<node_id>& stored = scratch_.cuts.emplace_back().nodes;
  for (const node_id at : prefix) {
    if (!is_live_after(at, prefix.back()) || live-- > max_stored_along) continue;
    if (has_body(graph_.nodes[at].op)) continue;  // its components are stored
    if (at != prefix.back() && cost_of(at).weight < expensive_value) continue;
    stored.push_back(at);
    scratch_.stored[at] = 1;
  }
}

void nest_cutter::add(node_id id, cost& nest) const {
  nest.weight += weight_of(graph_, graph_.nodes[id]);
  nest.depth = std::max<std::uint64_t>(nest.depth, scratch_.depth[id]);
}

/// What one nest computes of the region: of the prefixes that fit and are not short, the one after which the
/// fewest values are live, and the longest one of these.
nest_cutter::prefix nest_cutter::choose_prefix() {
  const std::span<const node_id> region = scratch_.region;
  scratch_.ends.clear();
  for (const node_id at : region) scratch_.ends.push_back(scratch_.last_user[at]);
  std::sort(scratch_.ends.begin(), scratch_.ends.end());
  prefix chosen;
  std::size_t fewest = region.size(), ended = 0;
  node_id last_component = 0;  // of a node with bodies: all of its components come from one nest
  cost work;
  for (std::size_t i = 0; i < region.size(); ++i) {
    add(region[i], work);
    if (i != 0 && work.too_much()) break;
    if (has_body(graph_.nodes[region[i]].op))
      last_component = std::max(last_component, scratch_.last_user[region[i]]);
    while (ended < region.size() && scratch_.ends[ended] <= region[i]) ++ended;
    if (region[i] < last_component) continue;
    const std::size_t live = i + 1 - ended;
    const bool is_short = 2 * work.weight * (1 + work.depth) < max_nest_work;
    if (!is_short && live > fewest) continue;
    chosen = {i + 1, live};
    fewest = is_short ? region.size() : live;
  }
  // a node with bodies alone would leave nothing to store
  while (chosen.count < region.size() && has_body(graph_.nodes[region[chosen.count - 1]].op)) ++chosen.count;
  return chosen;
}

/// Finds the cut after which each stored node is no longer read.
void nest_cutter::find_done() {
  std::vector<std::size_t> last(graph_.nodes.size(), 0);
  const auto read_by = [&](std::span<const node_id> wanted, std::size_t reader) {
    begin_traversal();
    scratch_.pending.assign(wanted.begin(), wanted.end());
    while (!scratch_.pending.empty()) {
      const node_id next = scratch_.pending.back();
      scratch_.pending.pop_back();
      if (scratch_.seen[next] == traversal_) continue;
      scratch_.seen[next] = traversal_;
      for (const node_id operand : operands_of(next)) {
        last[operand] = reader;
        if (!is_read(operand)) scratch_.pending.push_back(operand);
      }
    }
  };
  const std::size_t count = scratch_.cuts.size();
  for (std::size_t i = 0; i < count; ++i) read_by(scratch_.cuts[i].nodes, i);
  read_by(graph_.outputs, count);
  for (const node_id output : graph_.outputs) last[output] = count;
  for (std::size_t i = 0; i < count; ++i)
    for (const node_id at : scratch_.cuts[i].nodes)
      if (const std::size_t reader = std::max(last[at], i); reader < count)
        scratch_.cuts[reader].done.push_back(at);
}

void nest_cutter::begin_nest() {
  nest_ = {};
  if (!is_usual_) begin_traversal();
}

bool nest_cutter::add_to_nest(node_id id) {
  if (is_usual_ || is_read(id)) return true;
  const std::size_t before = scratch_.met.size();
  cost with = nest_;
  traverse_from(id, with);
  if (before != 0 && with.too_much()) {
    for (const node_id at : std::span(scratch_.met).subspan(before)) scratch_.seen[at] = 0;
    scratch_.met.resize(before);
    return false;
  }
  nest_ = with;
  return true;
}

}  // namespace sinter::inline v0
